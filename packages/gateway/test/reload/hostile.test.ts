import { hash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { testChain, type TestBlock } from '../chain-node.ts'
import { frame, key, send, sleep, until } from '../support.ts'
import { openSocket } from '../web-socket-client.ts'
import { ask, configOf, networkOf, projects, startNodes, startWith } from './support.ts'

it('a key that moves to another project closes what it has open, and belongs to that one', async () => {
  const [a] = await startNodes(testChain(500), 1)
  const other = { name: 'other', keys: [{ key: 'another-key-of-another-project' }] }
  const config = configOf({ mainnet: networkOf([a!]) }, { projects: [...projects, other] })
  const gateway = await startWith(config)
  const socket = await openSocket(`${gateway.ws}/ws/v3/${key}`)
  const moved = [
    { name: 'open', keys: [{ key: 'another-key-of-another-project' }], rules: { methods: ['eth_gasPrice'] } },
    { name: 'other', keys: [{ key }] },
  ]
  expect(await gateway.reload({ ...config, projects: moved })).toMatchObject({ applied: true })
  await until(() => socket.closed !== undefined)
  expect(socket.closed!.code).toBe(1008)
  expect(await ask(gateway, 'eth_chainId')).toMatchObject({ status: 200 })
  expect((await ask(gateway, 'eth_chainId', [], '/v3/another-key-of-another-project')).error).toBeDefined()
})

it('a key that is written as its hash from now on keeps what it has open', async () => {
  const [a] = await startNodes(testChain(500), 1)
  const config = configOf({ mainnet: networkOf([a!]) })
  const gateway = await startWith(config)
  const socket = await openSocket(`${gateway.ws}/ws/v3/${key}`)
  const keyHash = `sha256:${hash('sha256', key)}`
  const hashed = [{ name: 'open', keys: [{ key: 'an-additional-key-that-is-first' }, { keyHash }] }]
  expect(await gateway.reload({ ...config, projects: hashed })).toMatchObject({ applied: true })
  socket.send(frame('eth_gasPrice'))
  expect(await socket.next()).toMatchObject({ result: '0x1' })
})

it(
  'subscriptions over nodes that are behind for longer than a reload waits tell each head once',
  { timeout: 30_000 },
  async () => {
    const chain = testChain(500)
    const [a, b, c] = await startNodes(chain, 3)
    const gateway = await startWith(configOf({ mainnet: networkOf([a!]) }))
    const socket = await openSocket(`${gateway.ws}/ws/v3/${key}`)
    socket.send(frame('eth_subscribe', ['newHeads']))
    await socket.next()
    const heights = (): readonly number[] =>
      socket.messages.slice(1).map((text) => Number((JSON.parse(text).params.result as TestBlock).number))
    for (let i = 0; i < 3; i++) {
      chain.height++
      a!.pushHead()
      await until(() => heights().at(-1) === chain.height)
    }
    expect(await ask(gateway, 'eth_blockNumber')).toMatchObject({ result: '0x1f7' })
    for (const node of [b!, c!]) node.lag = 3
    await gateway.reload(configOf({ mainnet: networkOf([b!, c!]) }))
    const reported: unknown[] = []
    for (const lag of [3, 2, 1, 0]) {
      for (const node of [b!, c!]) {
        node.lag = lag
        node.pushHead()
      }
      await sleep(50)
      const { result } = await ask(gateway, 'eth_blockNumber')
      if (result !== undefined) reported.push(result)
    }
    chain.height++
    for (const node of [b!, c!]) node.pushHead()
    await until(() => heights().at(-1) === chain.height)
    expect(heights()).toEqual([501, 502, 503, 504])
    expect(reported.filter((head) => Number(head) < 503)).toEqual([])
    expect(socket.closed).toBeUndefined()
  },
)

it('a long answer that is under way is sent to its end by the network that was replaced', async () => {
  const [a] = await startNodes(testChain(500), 1)
  const part = `"${'x'.repeat(1_000_000)}"`
  let release = (): void => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const { id, method } = JSON.parse(text)
    response.setHeader('content-type', 'application/json')
    if (method !== 'eth_getBlockReceipts')
      return void response.end(JSON.stringify({ jsonrpc: '2.0', id, result: '0x1' }))
    response.write(`{"jsonrpc":"2.0","id":${id},"result":[${part},${part},${part}`)
    await held
    response.end(`,${part}]}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const upstreams = [`http://127.0.0.1:${(server.address() as AddressInfo).port}`]
  const gateway = await startWith(configOf({ mainnet: networkOf([a!], { upstreams, followHeads: false }) }))
  const answer = await fetch(`${gateway.rpc}/v3/${key}`, {
    method: 'POST',
    body: frame('eth_getBlockReceipts', ['0x1']),
  })
  const reader = answer.body!.getReader()
  let { length } = (await reader.read()).value!
  await gateway.reload(configOf({ mainnet: networkOf([a!]) }))
  expect((await ask(gateway, 'eth_gasPrice')).result).toBe('0x1')
  await sleep(400)
  release()
  for (let next = await reader.read(); !next.done; next = await reader.read()) length += next.value.length
  expect(length).toBeGreaterThan(4_000_000)
})

it('a filter stays where the first upstream with a WebSocket comes or goes', async () => {
  const chain = testChain(500)
  const [a] = await startNodes(chain, 1)
  const plain = networkOf([], { upstreams: [{ name: 'own', url: a!.url, probe: false }] })
  const gateway = await startWith(configOf({ mainnet: plain }))
  const { result: filter } = await ask(gateway, 'eth_newBlockFilter')
  for (const network of [networkOf([a!]), plain]) {
    expect(await gateway.reload(configOf({ mainnet: network }))).toMatchObject({ applied: true })
    chain.height++
    a!.pushHead()
    let changes: unknown[] = []
    for (let i = 0; i < 100 && changes.length === 0; i++) {
      await sleep(50)
      const answer = await ask(gateway, 'eth_getFilterChanges', [filter])
      expect(answer.error).toBeUndefined()
      changes = answer.result
    }
    expect(changes).toEqual([chain.block(chain.height).hash])
  }
  expect(await ask(gateway, 'eth_uninstallFilter', [filter])).toMatchObject({ result: true })
})

it('a filter of an address that its project may not read any more tells nothing', async () => {
  const [a] = await startNodes(testChain(500, { hasLogs: true }), 1)
  const config = configOf({ mainnet: networkOf([a!]) })
  const gateway = await startWith(config)
  const address = `0x${'ab'.repeat(20)}`
  const { result: filter } = await ask(gateway, 'eth_newFilter', [{ address }])
  expect((await ask(gateway, 'eth_getFilterLogs', [filter])).error).toBeUndefined()
  const narrowed = [{ name: 'open', keys: [{ key }], rules: { addresses: [`0x${'cd'.repeat(20)}`] } }]
  expect(await gateway.reload({ ...config, projects: narrowed })).toMatchObject({ applied: true })
  for (const method of ['eth_getFilterChanges', 'eth_getFilterLogs']) {
    expect((await ask(gateway, method, [filter])).error).toBeDefined()
  }
})

it('the units of a budget that an upstream has spent count on', async () => {
  const [a] = await startNodes(testChain(500), 1)
  const upstreams = (url: string) => [{ name: 'own', url, probe: false, budget: { perDay: 3 } }]
  const network = (url: string) =>
    configOf({ mainnet: networkOf([], { upstreams: upstreams(url), followHeads: false }) })
  const gateway = await startWith(network(a!.url))
  const statuses: number[] = []
  for (let i = 0; i < 5; i++) {
    statuses.push((await ask(gateway, 'eth_gasPrice')).status)
    expect((await gateway.reload(network(`${a!.url}/${i}`))).problems).toEqual([])
  }
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(3)
  expect(statuses[0]).toBe(200)
})

it('a configuration that fails late closes the networks that it has opened', async () => {
  const [a, b] = await startNodes(testChain(500), 2)
  const config = configOf({ mainnet: networkOf([a!]) })
  const gateway = await startWith(config)
  await ask(gateway, 'eth_blockNumber')
  await until(() => a!.subscribers === 1)
  b!.lag = 3
  const reloading = gateway.reload(configOf({ mainnet: networkOf([b!]) }))
  await until(() => b!.subscribers === 1)
  void gateway.close(0)
  expect(await reloading).toMatchObject({ applied: false })
  await until(() => b!.subscribers === 0)
})

it('networks that come and go leave no series of metrics', async () => {
  const [a] = await startNodes(testChain(500), 1)
  const gateway = await startWith(configOf({ mainnet: networkOf([a!]) }))
  const print = async (): Promise<string> => (await send(gateway.admin, '/metrics')).body
  for (let i = 0; i < 3; i++) {
    await gateway.reload(configOf({ mainnet: networkOf([a!]), [`passing-${i}`]: networkOf([a!]) }))
    const socket = await openSocket(`${gateway.ws}/passing-${i}/ws/v3/${key}`)
    expect((await ask(gateway, 'eth_gasPrice', [], `/passing-${i}/v3/${key}`)).status).toBe(200)
    expect(await print()).toContain(`passing-${i}`)
    await gateway.reload(configOf({ mainnet: networkOf([a!]) }))
    await until(() => socket.closed !== undefined)
  }
  await expect.poll(print).not.toContain('passing-')
  expect((await ask(gateway, 'eth_gasPrice')).status).toBe(200)
  expect(await print()).toContain('wayleave_answers_total{network="mainnet",status="200"} 1')
})
