import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { testChain, type TestBlock } from '../chain-node.ts'
import { frame, key, send, sleep, startNode, until } from '../support.ts'
import { openSocket, type TestSocket } from '../web-socket-client.ts'
import { ask, configOf, networkOf, startNodes, startWith } from './support.ts'

const heights = (socket: TestSocket): readonly number[] =>
  socket.messages.slice(1).map((text) => Number((JSON.parse(text).params.result as TestBlock).number))

it('a network that begins to compare answers gives none that one upstream gave before', async () => {
  const nodes = await startNodes(testChain(500), 2)
  const address = `0x${'11'.repeat(20)}`
  const balance = ['eth_getBalance', [address, { blockHash: nodes[0]!.chain.block(400).hash }]] as const
  for (const node of nodes) node.answer = (method) => (method === balance[0] ? { result: '0x7' } : undefined)
  const gateway = await startWith(configOf({ mainnet: networkOf(nodes, { followHeads: false }) }, { cache: {} }))
  const asked = (): number => nodes.flatMap(({ calls }) => calls).filter((method) => method === balance[0]).length
  await ask(gateway, ...balance)
  await ask(gateway, ...balance)
  expect(asked()).toBe(1)
  const consensus = { methods: [balance[0]], participants: 2 }
  const compared = configOf({ mainnet: networkOf(nodes, { consensus }) }, { cache: {} })
  expect(await gateway.reload(compared)).toMatchObject({ applied: true, problems: [] })
  expect((await ask(gateway, ...balance)).result).toBe('0x7')
  expect(asked()).toBe(3)
})

it('a network whose upstreams are on another branch gives none of the answers of the one before', async () => {
  const startedAt = Math.floor(Date.now() / 1_000) - 502
  const [chain, other] = [testChain(501, { startedAt }), testChain(502, { startedAt })]
  chain.reorganize(500)
  const [a, b] = [(await startNodes(chain, 1))[0]!, (await startNodes(other, 1))[0]!]
  const receipt = ['eth_getTransactionReceipt', [`0x${'77'.repeat(32)}`]] as const
  const receiptIn = ({ number, hash }: TestBlock) => ({
    result: { transactionHash: receipt[1][0], transactionIndex: '0x0', blockNumber: number, blockHash: hash, logs: [] },
  })
  a.answer = (method) =>
    method === receipt[0] ? receiptIn(chain.block(501)) : method === 'eth_gasPrice' ? 'hang' : undefined
  b.answer = (method) => (method === receipt[0] ? receiptIn(other.block(502)) : undefined)
  const gateway = await startWith(configOf({ mainnet: networkOf([a]) }, { cache: {} }))
  const asked = (): number => a.calls.filter((method) => method === receipt[0]).length
  await ask(gateway, 'eth_blockNumber')
  let before = 0
  do {
    before = asked()
    expect((await ask(gateway, ...receipt)).result.blockNumber).toBe('0x1f5')
  } while (asked() > before)
  const hanging = ask(gateway, 'eth_gasPrice').catch(() => {})
  await until(() => a.calls.includes('eth_gasPrice'))
  expect(await gateway.reload(configOf({ mainnet: networkOf([b]) }, { cache: {} }))).toMatchObject({ applied: true })
  expect((await ask(gateway, ...receipt)).result.blockNumber).toBe('0x1f6')
  await gateway.close(0)
  await hanging
})

describe('a network whose upstreams are others', () => {
  it('serves from them, and a call that is in flight is answered by the one that was asked', async () => {
    const [a, b] = await startNodes(testChain(500), 2)
    const { url, held } = await startSlowNode()
    const slow = configOf({ mainnet: networkOf([a!], { upstreams: [url], followHeads: false }) })
    const gateway = await startWith(slow)
    const inFlight = ask(gateway, 'eth_gasPrice')
    await until(() => held.length === 1)
    expect(await gateway.reload(configOf({ mainnet: networkOf([b!]) }))).toMatchObject({
      applied: true,
      problems: [],
      diff: { networks: { added: [], removed: [], changed: ['mainnet'] } },
    })
    expect(await ask(gateway, 'eth_gasPrice')).toMatchObject({ status: 200, result: '0x2' })
    held[0]!()
    expect(await inFlight).toMatchObject({ status: 200, result: 'held' })
  })

  it('keeps its subscriptions, which tell each head once', async () => {
    const chain = testChain(500)
    const [a, b] = await startNodes(chain, 2)
    const gateway = await startWith(configOf({ mainnet: networkOf([a!]) }))
    const socket = await openSocket(`${gateway.ws}/ws/v3/${key}`)
    socket.send(frame('eth_subscribe', ['newHeads']))
    const { result: id } = (await socket.next()) as { result: unknown }
    const mine = async (): Promise<void> => {
      chain.height++
      for (const node of [a!, b!]) node.pushHead()
      await until(() => heights(socket).at(-1) === chain.height)
    }
    await mine()
    for (const nodes of [[b!], [a!, b!], [a!], [b!]]) {
      expect(await gateway.reload(configOf({ mainnet: networkOf(nodes) }))).toMatchObject({ applied: true })
      await mine()
      // One that comes while the networks change places.
      const reloading = gateway.reload(configOf({ mainnet: networkOf([a!, b!], { broadcast: nodes.length }) }))
      await Promise.all([mine(), reloading])
    }
    expect(heights(socket)).toEqual(Array.from({ length: 9 }, (_, i) => 501 + i))
    expect(socket.closed).toBeUndefined()
    socket.send(frame('eth_unsubscribe', [id], 2))
    await until(() => socket.messages.at(-1) === '{"jsonrpc":"2.0","id":2,"result":true}')
  })

  it('has its pending transactions told by one of the new ones', async () => {
    const [a, b] = await startNodes(testChain(500), 2)
    const gateway = await startWith(configOf({ mainnet: networkOf([a!]) }))
    const socket = await openSocket(`${gateway.ws}/ws/v3/${key}`)
    socket.send(frame('eth_subscribe', ['newPendingTransactions']))
    await until(() => a!.subscribersOf('newPendingTransactions') === 1)
    await socket.next()
    await gateway.reload(configOf({ mainnet: networkOf([b!]) }))
    await until(() => b!.subscribersOf('newPendingTransactions') === 1)
    b!.push('newPendingTransactions', '0x01')
    expect(await socket.next()).toMatchObject({ params: { result: '0x01' } })
  })

  it('tells no lower head than before', async () => {
    const chain = testChain(500)
    const [a, b] = await startNodes(chain, 2)
    const gateway = await startWith(configOf({ mainnet: networkOf([a!]) }))
    expect(await ask(gateway, 'eth_blockNumber')).toMatchObject({ result: '0x1f4' })
    b!.lag = 3
    const reloading = gateway.reload(configOf({ mainnet: networkOf([b!]) }))
    await sleep(200)
    // The one that is behind does not serve yet.
    expect(await ask(gateway, 'eth_gasPrice')).toMatchObject({ result: '0x1' })
    b!.lag = 0
    b!.pushHead()
    expect(await reloading).toMatchObject({ applied: true })
    expect(await ask(gateway, 'eth_blockNumber')).toMatchObject({ result: '0x1f4' })
    expect(await ask(gateway, 'eth_gasPrice')).toMatchObject({ result: '0x2' })
  })

  it('keeps filters with their places, and cordons', async () => {
    const chain = testChain(500)
    const [a, b] = await startNodes(chain, 2)
    const gateway = await startWith(configOf({ mainnet: networkOf([a!, b!]) }))
    const cordon = `/upstreams/cordon?network=mainnet&upstream=${encodeURIComponent(b!.url)}&why=repair`
    expect((await send(gateway.admin, cordon, { method: 'POST' })).status).toBe(200)
    const { result: filter } = await ask(gateway, 'eth_newBlockFilter')
    await gateway.reload(configOf({ mainnet: networkOf([a!, b!], { broadcast: 2 }) }))
    chain.height++
    for (const node of [a!, b!]) node.pushHead()
    await until(() => a!.subscribers > 0)
    let changes: unknown[] = []
    for (let i = 0; i < 100 && changes.length === 0; i++) {
      await sleep(20)
      changes = (await ask(gateway, 'eth_getFilterChanges', [filter])).result
    }
    expect(changes).toEqual([chain.block(501).hash])
    for (let i = 0; i < 10; i++) expect(await ask(gateway, 'eth_gasPrice')).toMatchObject({ result: '0x1' })
  })
})

it('metrics tell of the upstreams of the moment', async () => {
  const [a, b] = await startNodes(testChain(500), 2)
  const gateway = await startWith(configOf({ mainnet: networkOf([a!]) }))
  await ask(gateway, 'eth_blockNumber')
  const up = async (url: string): Promise<string | undefined> => {
    const { body } = await send(gateway.admin, '/metrics')
    return body.split('\n').find((line) => line.startsWith('wayleave_upstream_up') && line.includes(url))
  }
  expect(await up(a!.url)).toMatch(/ 1$/)
  await gateway.reload(configOf({ mainnet: networkOf([b!]) }))
  expect([await up(a!.url), await up(b!.url)]).toEqual([expect.stringMatching(/ NaN$/), expect.stringMatching(/ 1$/)])
})

it('a network that is the same goes on as it is, and is asked nothing', async () => {
  const [a, b] = await startNodes(testChain(500), 2)
  const networks = { mainnet: networkOf([a!]), other: networkOf([b!]) }
  const gateway = await startWith(configOf(networks))
  const socket = await openSocket(`${gateway.ws}/ws/v3/${key}`)
  socket.send(frame('eth_subscribe', ['newHeads']))
  await socket.next()
  const open = a!.subscribers
  await gateway.reload(configOf({ mainnet: networkOf([a!]), third: networkOf([b!]) }))
  expect(gateway.networks).toEqual({ mainnet: 1, third: 1 })
  expect([a!.subscribers, socket.closed]).toEqual([open, undefined])
  expect((await ask(gateway, 'eth_gasPrice', [], `/third/v3/${key}`)).result).toBe('0x2')
})

it('a network that is removed is unknown, and its sockets close', async () => {
  const [a, b] = await startNodes(testChain(500), 2)
  const gateway = await startWith(configOf({ mainnet: networkOf([a!]), other: networkOf([b!]) }))
  const [stays, goes] = await Promise.all(
    ['mainnet', 'other'].map((name) => openSocket(`${gateway.ws}/${name}/ws/v3/${key}`)),
  )
  for (const socket of [stays!, goes!]) socket.send(frame('eth_subscribe', ['newHeads']))
  await Promise.all([stays!.next(), goes!.next()])
  await gateway.reload(configOf({ mainnet: networkOf([a!]) }))
  await until(() => goes!.closed !== undefined)
  expect(goes!.closed).toEqual({ code: 1001, reason: 'the network other is not served any more' })
  expect((await ask(gateway, 'eth_gasPrice', [], `/other/v3/${key}`)).status).toBe(404)
  expect(stays!.closed).toBeUndefined()
  await until(() => b!.subscribers === 0)
})

it('a network under the name of another chain begins anew', async () => {
  const [a] = await startNodes(testChain(500), 1)
  const [b] = await startNodes(testChain(20, { id: 5, genesis: 9 }), 1)
  const gateway = await startWith(configOf({ mainnet: networkOf([a!]) }))
  const socket = await openSocket(`${gateway.ws}/ws/v3/${key}`)
  socket.send(frame('eth_subscribe', ['newHeads']))
  await socket.next()
  await gateway.reload(configOf({ mainnet: networkOf([b!], { chainId: 5 }) }))
  await until(() => socket.closed !== undefined)
  expect(socket.closed!.code).toBe(1013)
  expect(await ask(gateway, 'eth_blockNumber')).toMatchObject({ result: '0x14' })
})

it('a network under the name of another chain has none of the filters that a store keeps', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-filters-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const [a] = await startNodes(testChain(500), 1)
  const [b] = await startNodes(testChain(20, { id: 5, genesis: 9 }), 1)
  const more = { store: { sqlite: join(folder, 'store.sqlite') } }
  const gateway = await startWith(configOf({ mainnet: networkOf([a!]) }, more))
  const { result: filter } = await ask(gateway, 'eth_newBlockFilter')
  expect((await ask(gateway, 'eth_getFilterChanges', [filter])).error).toBeUndefined()
  await gateway.reload(configOf({ mainnet: networkOf([b!], { chainId: 5 }) }, more))
  expect((await ask(gateway, 'eth_getFilterChanges', [filter])).error).toMatchObject({ message: 'filter not found' })
  await gateway.reload(configOf({ mainnet: networkOf([a!]) }, more))
  expect((await ask(gateway, 'eth_getFilterChanges', [filter])).error).toBeUndefined()
})

/** A node that answers nothing before it is told to. */
async function startSlowNode() {
  const held: (() => void)[] = []
  const node = await startNode(
    () => new Promise((resolve) => held.push(() => resolve({ result: rawJsonFromValue('held') }))),
  )
  onTestFinished(() => node.close())
  return { url: node.url, held }
}
