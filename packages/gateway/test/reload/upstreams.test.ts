import { describe, expect, it } from 'vitest'
import { type ChainNode, testChain } from '../chain-node.ts'
import { frame, key, send, until } from '../support.ts'
import { openSocket } from '../web-socket-client.ts'
import { ask, configOf, leapingClock, networkOf, startNodes, startWith } from './support.ts'

const hex = (number: number): string => `0x${number.toString(16)}`
const countOf = ({ calls }: ChainNode, method: string): number => calls.filter((each) => each === method).length

/** A gateway before the first two of three nodes, and a function that serves from others. */
async function begin(more: object = {}) {
  const chain = testChain(500)
  const [a, b, c] = (await startNodes(chain, 3)) as [ChainNode, ChainNode, ChainNode]
  const { clock, leap } = leapingClock()
  const gateway = await startWith(configOf({ mainnet: networkOf([a, b], more) }), clock)
  await ask(gateway, 'eth_blockNumber')
  await until(() => a.subscribers === 1 && b.subscribers === 1)
  const serve = async (nodes: readonly ChainNode[], members: object = more): Promise<void> => {
    const report = await gateway.reload(configOf({ mainnet: networkOf(nodes, members) }))
    expect(report).toMatchObject({ applied: true, problems: [] })
  }
  return { chain, a, b, c, gateway, serve, leap }
}

describe('limits of callers that change', () => {
  it('hold at once, and no network is opened anew', async () => {
    const chain = testChain(2_000)
    const [a] = await startNodes(chain, 1)
    const networks = { mainnet: networkOf([a!]) }
    const gateway = await startWith(configOf(networks))
    const socket = await openSocket(`${gateway.ws}/ws/v3/${key}`)
    socket.send(frame('eth_subscribe', ['newHeads']))
    await socket.next()
    await until(() => a!.subscribers === 1)
    let chainIds = 0
    a!.answer = (method) => {
      if (method === 'eth_chainId') chainIds++
      return undefined
    }
    const limits = {
      maxBodyBytes: 1_000,
      maxBatch: 2,
      maxSubscriptions: 1,
      maxLogBlocks: 50,
      maxInFlight: 10,
      requestTimeoutMs: 20_000,
    }
    expect(await gateway.reload(configOf(networks, { limits }))).toMatchObject({ applied: true })
    expect([a!.socketsOpened, a!.subscribers, chainIds]).toEqual([1, 1, 0])
    const batch = (calls: number): string => `[${Array.from({ length: calls }, () => frame('eth_gasPrice')).join()}]`
    const path = `/v3/${key}`
    expect(JSON.parse((await send(gateway.rpc, path, { body: batch(2) })).body)).toHaveLength(2)
    expect((await send(gateway.rpc, path, { body: batch(3) })).body).toContain('batch too large')
    expect((await ask(gateway, 'eth_gasPrice', ['x'.repeat(1_000)])).status).toBe(413)
    expect((await ask(gateway, 'eth_getLogs', [{ fromBlock: '0x1', toBlock: hex(100) }])).error).toMatchObject({
      message: 'range 100 exceeds limit of 50',
    })
    socket.send(frame('eth_subscribe', ['newHeads'], 2))
    const refused = (await socket.next()) as { readonly error?: { readonly message: string } }
    expect(refused.error?.message).toBe('at most 1 subscriptions fit a connection')
    chain.height++
    a!.pushHead()
    expect(await socket.next()).toMatchObject({ params: { result: { number: hex(2_001) } } })
  })

  it('leave networks alone that a change of the same configuration does not touch', async () => {
    const chain = testChain(500)
    const [a, b, c] = await startNodes(chain, 3)
    const gateway = await startWith(configOf({ mainnet: networkOf([a!]), calm: networkOf([b!]) }))
    await Promise.all(['mainnet', 'calm'].map((name) => ask(gateway, 'eth_blockNumber', [], `/${name}/v3/${key}`)))
    await until(() => b!.subscribers === 1)
    await gateway.reload(
      configOf({ mainnet: networkOf([c!]), calm: networkOf([b!]) }, { limits: { maxBatch: 7, maxLogBlocks: 9 } }),
    )
    expect(await ask(gateway, 'eth_gasPrice')).toMatchObject({ result: '0x3' })
    expect(await ask(gateway, 'eth_gasPrice', [], `/calm/v3/${key}`)).toMatchObject({ result: '0x2' })
    await until(() => a!.subscribers === 0)
    expect([b!.socketsOpened, b!.subscribers]).toEqual([1, 1])
  })

  it('do not keep the limits of upstreams from being taken', async () => {
    const { a, gateway } = await begin()
    a.answer = (method) => (method === 'eth_gasPrice' ? { result: `0x${'1'.repeat(3_000)}` } : undefined)
    const config = configOf({ mainnet: networkOf([a]) }, { limits: { maxUpstreamBytes: 2_500 } })
    expect(await gateway.reload(config)).toMatchObject({ applied: true })
    expect((await ask(gateway, 'eth_gasPrice')).error).toMatchObject({ code: -32_003 })
  })
})

describe('an upstream that stays while another one is added, removed or changed', () => {
  it('keeps its connections, which the last network that has it closes', async () => {
    const { chain, a, b, c, gateway, serve } = await begin()
    const socket = await openSocket(`${gateway.ws}/ws/v3/${key}`)
    socket.send(frame('eth_subscribe', ['newHeads']))
    await socket.next()
    await serve([a, b, c])
    await serve([c, a])
    await serve([a], { broadcast: 1 })
    await until(() => b.subscribers === 0 && c.subscribers === 0 && a.subscribers === 1)
    expect([a, b, c].map(({ socketsOpened }) => socketsOpened)).toEqual([1, 1, 1])
    chain.height++
    a.pushHead()
    expect(await socket.next()).toMatchObject({ params: { result: { number: hex(501) } } })
    await gateway.close(0)
    await until(() => a.subscribers === 0)
  })

  it('is not asked again what it has just failed at, and comes back once it answers a probe', async () => {
    const { a, b, c, gateway, serve, leap } = await begin()
    let isDown = true
    b.refuse = (method) => (isDown && method !== 'eth_subscribe' ? { status: 500, headers: {} } : undefined)
    // Reads go to either, so that it takes several until its breaker has seen enough.
    for (let i = 0; i < 60; i++) {
      const params = [`0x${`${i}`.padStart(40, '0')}`, 'latest']
      expect((await ask(gateway, 'eth_getBalance', params)).status).toBe(200)
    }
    const stateOfUpstream = async (): Promise<unknown> => {
      const { networks } = JSON.parse((await send(gateway.admin, '/status')).body)
      return networks.mainnet.upstreams.find(({ name }: { readonly name: string }) => name === b.url)
    }
    expect(await stateOfUpstream()).toMatchObject({ out: 'cooling_down' })
    await serve([a, b, c])
    const before = countOf(b, 'eth_gasPrice')
    expect(await stateOfUpstream()).toMatchObject({ out: 'cooling_down' })
    for (let i = 0; i < 20; i++) expect((await ask(gateway, 'eth_gasPrice')).status).toBe(200)
    expect(countOf(b, 'eth_gasPrice')).toBe(before)
    isDown = false
    expect(await stateOfUpstream()).toMatchObject({ out: 'cooling_down' })
    leap(30_000)
    for (let i = 0; i < 1_000 && countOf(b, 'eth_gasPrice') === before; i++) await ask(gateway, 'eth_gasPrice')
    expect(countOf(b, 'eth_gasPrice')).toBeGreaterThan(before)
    expect(await ask(gateway, 'eth_gasPrice')).toMatchObject({ status: 200 })
  })

  it('is known to refuse long ranges, and to lack old blocks', async () => {
    const { a, b, c, gateway, serve } = await begin({ followHeads: true })
    const pruned = { error: { code: 4444, message: 'pruned history unavailable' } }
    // An upstream is sure to lack what it has refused twice, and nobody else could answer before.
    b.answer = (method) => (method === 'eth_getBalance' ? pruned : undefined)
    a.answer = (method, [params]) => {
      if (method === 'eth_getBalance') return pruned
      if (method !== 'trace_filter') return undefined
      const { fromBlock, toBlock } = params as { readonly fromBlock: string; readonly toBlock: string }
      const blocks = Number(toBlock) - Number(fromBlock) + 1
      return blocks > 10 ? { error: { code: -32_602, message: `range ${blocks} exceeds limit of 10` } } : { result: [] }
    }
    const filter = (i: number) => [{ fromBlock: hex(i), toBlock: hex(i + 49), address: `0x${'ab'.repeat(20)}` }]
    const balance = (block: number) => [`0x${'11'.repeat(20)}`, hex(block)]
    for (let i = 1; i < 60 && countOf(a, 'trace_filter') === 0; i++) await ask(gateway, 'trace_filter', filter(i))
    for (let i = 1; i < 60 && countOf(a, 'eth_getBalance') < 2; i++) await ask(gateway, 'eth_getBalance', balance(i))
    const asked = (): readonly number[] => ['trace_filter', 'eth_getBalance'].map((method) => countOf(a, method))
    const before = asked()
    expect(before).toEqual([1, 2])
    await serve([a, b, c])
    for (let i = 1; i < 40; i++) {
      expect((await ask(gateway, 'trace_filter', filter(i))).error).toBeUndefined()
      expect((await ask(gateway, 'eth_getBalance', balance(1))).error).toBeUndefined()
    }
    expect(asked()).toEqual(before)
  })

  it('begins anew where its URL is another one under the same name', async () => {
    const { a, b, gateway, serve } = await begin()
    const named = (node: ChainNode) => ({ upstreams: [{ name: 'one', url: node.url, ws: node.ws, probe: false }] })
    await serve([], named(a))
    a.refuse = (method) => (method === 'eth_gasPrice' ? { status: 500, headers: {} } : undefined)
    for (let i = 0; i < 20; i++) await ask(gateway, 'eth_gasPrice')
    await serve([], named(b))
    expect(await ask(gateway, 'eth_gasPrice')).toMatchObject({ status: 200, result: '0x2' })
  })
})
