import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Config } from '@wayleave/gateway'
import { expect, it } from 'vitest'
import { testChain, type TestBlock } from '../chain-node.ts'
import { frame, key, sleep, until } from '../support.ts'
import { openSocket } from '../web-socket-client.ts'
import { ask, configOf, networkOf, projects, startNodes, startWith } from './support.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

it('reloads under load fail no call and drop no socket, half of them with mistakes', { timeout: 120_000 }, async () => {
  const chain = testChain(500)
  const nodes = await startNodes(chain, 3)
  const rotated = (i: number): Config => {
    const upstreams = nodes.slice(i % 2, 2 + (i % 2)).map(({ url, ws }) => ({
      name: url,
      // A provider's key that is rotated.
      url: `${url}/${i}`,
      ws: `${ws}/${i}`,
      probe: false,
    }))
    return configOf({ mainnet: networkOf([], { upstreams }), other: networkOf([nodes[2]!]) })
  }
  const mistaken = (i: number): Config =>
    i % 4 === 1
      ? { ...rotated(i), dataDir: '/nowhere/at/all' }
      : { ...rotated(i), projects: [...projects, { name: 'twice', keys: [{ key }] }] }
  const gateway = await startWith(rotated(0))
  const sockets = await Promise.all(
    Array.from({ length: 10 }, (_, i) => openSocket(`${gateway.ws}/${i < 8 ? 'mainnet' : 'other'}/ws/v3/${key}`)),
  )
  for (const socket of sockets) socket.send(frame('eth_subscribe', ['newHeads']))
  for (const socket of sockets) expect(await socket.next()).toMatchObject({ result: expect.any(String) })

  const load = { isOver: false }
  let answered = 0
  const failed: unknown[] = []
  const heights: number[] = []
  const note = (reported: { readonly result?: unknown }): void => {
    if (typeof reported.result === 'string') answered++
    else failed.push(reported)
  }
  const callers = Array.from({ length: 8 }, async (_, i) => {
    while (!load.isOver) {
      const reported = await ask(gateway, i === 0 ? 'eth_blockNumber' : 'eth_gasPrice')
      note(reported)
      if (i === 0) heights.push(Number(reported.result))
    }
  })
  const speaker = await openSocket(`${gateway.ws}/ws/v3/${key}`)
  callers.push(
    (async () => {
      for (let id = 1; !load.isOver; id++) {
        speaker.send(frame('eth_gasPrice', [], id))
        note((await speaker.next()) as { result?: unknown })
      }
    })(),
  )
  const outcomes: boolean[] = []
  for (let i = 1; i <= 40; i++) {
    chain.height++
    for (const node of nodes) node.pushHead()
    outcomes.push((await gateway.reload(i % 2 === 0 ? rotated(i / 2) : mistaken(i))).applied)
  }
  const reportedAll = (socket: (typeof sockets)[number]): boolean =>
    Number(JSON.parse(socket.messages.at(-1)!).params.result.number) === chain.height
  await until(() => sockets.every(reportedAll))
  load.isOver = true
  await Promise.all(callers)

  expect(failed).toEqual([])
  expect(answered).toBeGreaterThan(100)
  expect(outcomes.filter((applied) => applied)).toHaveLength(20)
  expect(heights).toEqual(heights.toSorted((a, b) => a - b))
  for (const socket of sockets) {
    expect(socket.closed).toBeUndefined()
    const reported = socket.messages
      .slice(1)
      .map((text) => Number((JSON.parse(text).params.result as TestBlock).number))
    expect(reported).toEqual(Array.from({ length: 40 }, (_, i) => 501 + i))
  }
})

it.each(['other ones come and go', 'one of them stays'])(
  'leaves nothing of the configurations before where %s',
  { timeout: 60_000 },
  async (how) => {
    const [a, b, c] = await startNodes(testChain(500), 3)
    const stays = how.startsWith('one')
    const gateway = await startWith(configOf({ mainnet: networkOf([a!]) }))
    const socket = await openSocket(`${gateway.ws}/ws/v3/${key}`)
    socket.send(frame('eth_subscribe', ['newHeads']))
    await socket.next()
    const gone: WeakRef<object>[] = []
    // A function of its own, so that none stays on its stack.
    async function reload(i: number): Promise<void> {
      const nodes = [i % 2 === 0 ? a! : b!, ...(stays ? [c!] : [])]
      const config = configOf({ mainnet: networkOf(nodes, { broadcast: 1 + (i % 3) }) })
      expect((await gateway.reload(config)).applied).toBe(true)
      gone.push(new WeakRef(config.networks['mainnet']!))
      expect((await ask(gateway, 'eth_gasPrice')).status).toBe(200)
    }
    for (let i = 1; i <= 30; i++) await reload(i)
    const alive = (): number => gone.filter((each) => each.deref() !== undefined).length
    for (let i = 0; i < 50 && alive() > 2; i++) {
      await sleep(50)
      collectGarbage()
    }
    expect(alive()).toBeLessThanOrEqual(2)
    await until(() => b!.subscribers === 0)
    expect(a!.subscribers).toBe(1)
    expect(socket.closed).toBeUndefined()
    expect(c!.socketsOpened).toBe(stays ? 1 : 0)
  },
)
