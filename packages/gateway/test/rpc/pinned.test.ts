import { type Config, realSurroundings, type RunningGateway } from '@wayleave/gateway'
import { expect, it, onTestFinished } from 'vitest'
import { type ChainNode, startChainNode, testChain, type TestChain } from '../chain-node.ts'
import { type Answer, frame, key, send, startTestGateway, reportedBy } from '../support.ts'
import { openSocket } from '../web-socket-client.ts'

const height = 500
const addressOf = (i: number): string => `0x${i.toString(16).padStart(40, '0')}`
const hex = (number: number): string => `0x${number.toString(16)}`

interface Scene {
  readonly chain: TestChain
  readonly nodes: readonly ChainNode[]
  readonly gateway: RunningGateway
  /** The params of calls that reached a node, by method. */
  readonly asked: Map<string, (readonly unknown[])[]>
  post(body: string, headers?: Record<string, string>): Promise<Answer>
}

/**
 * Two nodes of one chain, which tell the height of the block that they are asked for as a balance, a count and a log. The chain makes a block
 * at every third of these calls.
 */
async function begin(count = 2, network: Partial<Config['networks'][string]> = {}): Promise<Scene> {
  const chain = testChain(height)
  const nodes = await Promise.all(Array.from({ length: count }, (_, i) => startChainNode(chain, i + 1)))
  const asked: Scene['asked'] = new Map()
  let calls = 0
  for (const node of nodes) {
    onTestFinished(() => node.close())
    node.answer = (method, params) => {
      asked.set(method, [...(asked.get(method) ?? []), params])
      if (!/^eth_(?:getBalance|getLogs|getBlockReceipts|getBlockTransactionCount)/.test(method)) return undefined
      if (calls++ % 3 === 2) chain.height++
      return { result: hex(heightOf(chain, node, params)) }
    }
  }
  const upstreams = nodes.map(({ url }) => url)
  const networks = {
    mainnet: { kind: 'evm', chainId: 1, upstreams, followHeads: true, ...network } as Config['networks'][string],
  }
  const gateway = await startTestGateway([], { networks }, { surroundings: realSurroundings })
  onTestFinished(() => gateway.close(0))
  return {
    chain,
    nodes,
    gateway,
    asked,
    post: (body, headers = { 'X-Wayleave-Consistency': 'pinned' }) =>
      send(gateway.rpc, `/v3/${key}`, { body, headers }),
  }
}

/** The height of the block that some call names. */
function heightOf(chain: TestChain, node: ChainNode, params: readonly unknown[]): number {
  const text = JSON.stringify(params)
  const hash = /0x[\da-f]{64}/.exec(text)?.[0]
  if (hash === undefined) return Number(/"(0x[\da-f]{1,8})"/.exec(text)?.[1] ?? chain.height - node.lag)
  let number = chain.height
  while (number > 0 && chain.block(number).hash !== hash) number--
  return number
}

const mixed = (count: number): string =>
  `[${Array.from({ length: count }, (_, i) => {
    const calls = [
      frame('eth_getBalance', [addressOf(i), 'latest'], i),
      frame('eth_getBalance', [addressOf(i)], i),
      frame('eth_blockNumber', [], i),
      frame('eth_getBlockByNumber', ['latest', false], i),
      frame('eth_getBlockTransactionCountByNumber', ['latest'], i),
      frame('eth_getLogs', [{ address: addressOf(i) }], i),
      frame('eth_getBlockReceipts', ['pending'], i),
    ]
    return calls[i % calls.length]!
  }).join(',')}]`

/** The heights that the answers of a batch tell. */
function heightsIn({ body }: Answer): readonly number[] {
  const answers = JSON.parse(body) as readonly { readonly result: string | { readonly number: string } }[]
  return answers.map(({ result }) => Number(typeof result === 'string' ? result : result.number))
}

it('all answers of a pinned batch are of one block, while the chain goes on', async () => {
  const { chain, post } = await begin()
  for (let i = 0; i < 4; i++) {
    const answer = await post(mixed(50))
    const heights = heightsIn(answer)
    expect(heights).toHaveLength(50)
    const [number] = heights
    expect(new Set(heights)).toEqual(new Set([number]))
    expect(answer.headers['x-wayleave-block']).toBe(`${hex(number!)} ${chain.block(number!).hash}`)
  }
  const loose = await post(mixed(50), {})
  expect(new Set(heightsIn(loose)).size).toBeGreaterThan(1)
  expect(loose.headers).not.toHaveProperty('x-wayleave-block')
})

it.each([['latest'], [undefined]])('a single call for %s is pinned, too', async (tag) => {
  const { chain, asked, post } = await begin()
  const answer = await post(frame('eth_getBalance', [addressOf(1), ...(tag === undefined ? [] : [tag])]))
  const { hash } = chain.block(height)
  expect(JSON.parse(answer.body).result).toBe(hex(height))
  expect(answer.headers['x-wayleave-block']).toBe(`${hex(height)} ${hash}`)
  expect(asked.get('eth_getBalance')).toEqual([[addressOf(1), { blockHash: hash }]])
})

it('a head that callers were told is no higher than the pinned block that follows, however fast the chain is', async () => {
  const { chain, nodes, post } = await begin()
  for (let i = 0; i < 150; i++) {
    chain.height++
    nodes[i % 2]!.lag = 1
    nodes[(i + 1) % 2]!.lag = 0
    const reported = Number(JSON.parse((await post(frame('eth_blockNumber'), {})).body).result)
    const pinned = await post(frame('eth_blockNumber'))
    expect(Number(JSON.parse(pinned.body).result)).toBeGreaterThanOrEqual(reported)
    expect(pinned.headers).not.toHaveProperty('x-wayleave-upstream')
    const after = Number(JSON.parse((await post(frame('eth_blockNumber'), {})).body).result)
    expect(after).toBeGreaterThanOrEqual(Number(JSON.parse(pinned.body).result))
  }
})

it('a node that lacks the block is not asked', async () => {
  const { chain, nodes, post } = await begin()
  const [ahead, behind] = nodes as [ChainNode, ChainNode]
  await post(frame('eth_blockNumber'))
  behind.lag = 1
  chain.height++
  const reported = async (): Promise<number> =>
    Number(JSON.parse((await post(frame('eth_blockNumber'), {})).body).result)
  await expect.poll(reported, { interval: 20 }).toBe(height + 1)
  ahead.calls.length = behind.calls.length = 0
  const heights = heightsIn(await post(mixed(21)))
  expect(new Set(heights)).toEqual(new Set([height + 1]))
  expect(behind.calls).toEqual([])
})

it('one node is enough', async () => {
  const { post } = await begin(1)
  expect(new Set(heightsIn(await post(mixed(30)))).size).toBe(1)
})

it('a pinned connection answers each message at the head of its time', async () => {
  const { chain, gateway } = await begin(1)
  const socket = await openSocket(`${gateway.ws}/ws/v3/${key}?x-wayleave-consistency=pinned`)
  const reported = async (): Promise<number> => {
    socket.send(frame('eth_blockNumber'))
    return Number(((await socket.next()) as { readonly result: string }).result)
  }
  expect(await reported()).toBe(height)
  chain.height++
  await expect.poll(reported, { interval: 20 }).toBe(height + 1)
  await socket.close()
})

it('writes in a pinned batch pass, and an answer that streams tells its block', async () => {
  const { nodes, post } = await begin()
  const long = `0x${'0'.repeat(600_000)}`
  for (const node of nodes) {
    node.answer = (method) =>
      method === 'eth_call' ? { result: long } : method === 'eth_sendRawTransaction' ? { result: '0x1' } : undefined
  }
  const batch = await post(`[${frame('eth_sendRawTransaction', ['0x00'])}]`)
  expect(JSON.parse(batch.body)).toMatchObject([{ result: '0x1' }])
  const streamed = await post(frame('eth_call', [{}]))
  expect(JSON.parse(streamed.body).result).toBe(long)
  expect(streamed.headers['transfer-encoding']).toBe('chunked')
  expect(streamed.headers['x-wayleave-block']).toMatch(/^0x1f4 0x[\da-f]{64}$/)
})

it.each(['Pinned', ' pinned '])('the value %j is understood', async (value) => {
  const { post } = await begin(1)
  const answer = await post(frame('eth_blockNumber'), { 'x-wayleave-consistency': value })
  expect(answer.headers['x-wayleave-block']).toMatch(/^0x1f4 0x/)
})

it.each(['', 'latest', 'pinned, pinned'])('the value %j is refused, and no node is asked', async (value) => {
  const { nodes, post } = await begin(1)
  const answer = await post(`[${frame('eth_gasPrice')}]`, { 'X-Wayleave-Consistency': value })
  const { status, headers } = answer
  const message = `X-Wayleave-Consistency: expected "pinned" or "none", got ${JSON.stringify(value)}`
  expect([status, reportedBy(answer)]).toEqual([200, [{ jsonrpc: '2.0', id: 1, error: { code: -32600, message } }]])
  expect(headers).not.toHaveProperty('x-wayleave-block')
  expect(nodes[0]!.calls).toEqual([])
})

it.each<[what: string, network: Partial<Config['networks'][string]>]>([
  ['whose heads are not followed', { followHeads: false }],
  ['of Starknet', { kind: 'starknet', chainId: 'SN_MAIN' }],
])('a network %s says that it cannot', async (_what, network) => {
  const { post } = await begin(1, network)
  const message = 'X-Wayleave-Consistency: pinned is not served by this network: the gateway does not follow its heads'
  expect(reportedBy(await post(frame('eth_getBalance', [addressOf(1), 'latest'])))).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32600, message },
  })
})

it('an outage is told as without the header', async () => {
  const { nodes, post } = await begin()
  for (const node of nodes) await node.stop()
  const { status, body } = await post(frame('eth_blockNumber'))
  expect([status, JSON.parse(body).error.message]).toEqual([503, expect.stringMatching(/^no upstream answered: 2 /)])
})
