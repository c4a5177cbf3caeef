import { getRandomValues } from 'node:crypto'
import { type Config, limitsOf } from '@wayleave/gateway'
import { verification, type VerificationLevel } from '@wayleave/evm-verify'
import { rawJsonFromText, systemClock } from '@wayleave/jsonrpc-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { longLogs, type LongLogsOptions } from '@wayleave/network/internal/long-logs'
import { isProven } from '@wayleave/network/internal/verification/verification'
import { type ChainNode, type NodeAnswer, startChainNode, testChain } from '../../chain-node.ts'
import { type Answer, frame, key, send, startTestGateway, withFixed } from '../../support.ts'
import { type FixedLimits } from '../../../src/config/limits.ts'
import { trueAnswer, type TrueChain, trueChain } from '../../true-chain.ts'
import { openSocket } from '../../web-socket-client.ts'

type Filter = { readonly fromBlock: string; readonly toBlock: string }
type Range = readonly [from: number, to: number]
const hex = (number: number): string => `0x${number.toString(16)}`
const height = 5_000
/** As long as one log is made, in bytes: no compression of the way makes it shorter. */
const noise = Buffer.from(getRandomValues(new Uint8Array(2_000))).toString('hex')

const hash = `0x${'ab'.repeat(32)}`

/** A node with a log in each block, which allows so many blocks. */
async function startLogNode(name: number, most = Number.POSITIVE_INFINITY) {
  const node = await startChainNode(testChain(height), name)
  onTestFinished(() => node.close())
  const ranges: Range[] = []
  node.answer = (method, [filter]) => {
    if (method !== 'eth_getLogs') return undefined
    const { fromBlock, toBlock } = filter as Filter
    const [from, to] = [Number(fromBlock), toBlock === 'latest' ? height : Number(toBlock)]
    const blocks = to - from + 1
    if (blocks > most) return { error: { code: -32_602, message: `range ${blocks} exceeds limit of ${most}` } }
    ranges.push([from, to])
    return {
      result: Array.from({ length: blocks }, (_, i) => ({
        blockNumber: hex(from + i),
        blockHash: hash,
        transactionHash: hash,
        topics: [],
        node: name,
        data: noise,
      })),
    }
  }
  return Object.assign(node, { ranges })
}

async function begin(
  nodes: readonly ChainNode[],
  config: Partial<Config> = {},
  more: object = {},
  fixed: Partial<FixedLimits> = {},
) {
  const upstreams = nodes.map(({ url }, i) => ({
    name: `node-${i + 1}`,
    url,
    price: i * 1_000,
    groups: [`group-${i + 1}`],
  }))
  const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams, followHeads: true, ...more } } as const
  const gateway = await startTestGateway([], { networks, ...config }, withFixed(fixed))
  onTestFinished(() => gateway.close(0))
  const ask = (params: unknown, by = key, headers = {}): Promise<Answer> =>
    send(gateway.rpc, `/v3/${by}`, { body: frame('eth_getLogs', params), headers })
  while (!(await send(gateway.rpc, `/v3/${key}`, { body: frame('eth_gasPrice') })).body.includes('result'));
  return {
    gateway,
    ask,
    range: (from: number, to: number, by = key) => ask([{ fromBlock: hex(from), toBlock: hex(to) }], by),
  }
}

/** Waits until the cache gives what is final. */
async function untilKept(gateway: string): Promise<void> {
  const body = frame('eth_getBlockByNumber', ['0x1', false])
  while ((await send(gateway, `/v3/${key}`, { body })).headers['x-wayleave-cache'] !== 'hit');
}

const numbersIn = ({ body }: Pick<Answer, 'body'>): number[] =>
  (JSON.parse(body) as { result: { blockNumber: string }[] }).result.map(({ blockNumber }) => Number(blockNumber))
const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i)

it('a range that no upstream allows is asked for in parts, as long as the upstream takes that allows most', async () => {
  const nodes = [await startLogNode(1, 10), await startLogNode(2, 100)] as const
  const { range } = await begin(nodes)
  expect(numbersIn(await range(0, 299))).toEqual(numbers(0, 299))
  nodes[1].ranges.length = 0
  expect(numbersIn(await range(100, 399))).toEqual(numbers(100, 399))
  expect(nodes[1].ranges.toSorted(([a], [b]) => a - b)).toEqual([
    [100, 199],
    [200, 299],
    [300, 399],
  ])
})

it('a short range is one call of the caller’s own bytes, and its answer names the upstream', async () => {
  const node = await startLogNode(1)
  const { ask } = await begin([node])
  const seen: unknown[] = []
  const answer = node.answer
  node.answer = (method, params) => (method === 'eth_getLogs' && seen.push(params), answer(method, params))
  const filter = { fromBlock: '0x1384', toBlock: 'latest', other: [1] }
  const { headers, body } = await ask([filter])
  expect(numbersIn({ body })).toEqual(numbers(4_996, 5_000))
  expect(seen).toEqual([[filter]])
  expect(headers['x-wayleave-upstream']).toBe('1')
})

it('a long answer is a stream over HTTP, whole in a batch and over WebSocket up to a fixed length', async () => {
  const node = await startLogNode(1, 100)
  const { gateway, ask } = await begin([node], {}, {}, { maxLogBytes: 3_000_000 })
  const filter = (to: number) => [{ fromBlock: '0x0', toBlock: hex(to) }]
  const long = await ask(filter(1_499))
  expect(long.headers['content-length']).toBeUndefined()
  expect(numbersIn(long)).toEqual(numbers(0, 1_499))
  const batch = async (to: number) => {
    const { body } = await send(gateway.rpc, `/v3/${key}`, { body: `[${frame('eth_getLogs', filter(to))}]` })
    return (JSON.parse(body) as object[])[0]!
  }
  expect(numbersIn({ body: JSON.stringify(await batch(599)) })).toEqual(numbers(0, 599))
  expect(await batch(1_499)).toMatchObject({ error: { code: -32_003 } })
  const socket = await openSocket(`${gateway.rpc.replace('http', 'ws')}/ws/v3/${key}`)
  socket.send(frame('eth_getLogs', filter(599)))
  expect(numbersIn({ body: JSON.stringify(await socket.next()) })).toEqual(numbers(0, 599))
  socket.send(frame('eth_getLogs', filter(1_499)))
  expect(await socket.next()).toMatchObject({ error: { code: -32_003 } })
  await socket.close()
})

it('an answer that every upstream leaves in the middle is cut off, and one that has not begun is an error', async () => {
  const nodes = [await startLogNode(1, 100), await startLogNode(2, 100)]
  const { gateway, ask } = await begin(nodes)
  const body = frame('eth_getLogs', [{ fromBlock: '0x0', toBlock: hex(4_000) }])
  const response = await fetch(`${gateway.rpc}/v3/${key}`, { method: 'POST', body })
  expect(response.status).toBe(200)
  const reader = response.body!.getReader()
  expect((await reader.read()).value?.byteLength).toBeGreaterThan(0)
  for (const node of nodes) await node.stop()
  const rest = async (): Promise<void> => {
    while (!(await reader.read()).done);
  }
  await expect(rest()).rejects.toThrow('terminated')
  const { status, body: reported } = await ask([{ fromBlock: '0x0', toBlock: hex(4_000) }])
  expect([502, 503, 504]).toContain(status)
  expect(JSON.parse(reported)).toHaveProperty('error')
})

it('blocks that no upstream has yet are an error in the words of geth, never fewer logs', async () => {
  const node = await startLogNode(1)
  const { range } = await begin([node])
  expect(JSON.parse((await range(0, height + 5)).body)).toMatchObject({
    error: { code: -32_602, message: 'block range extends beyond current head block' },
  })
  expect(node.ranges).toEqual([])
})

it('more blocks than `limits.maxLogBlocks` are refused, and no upstream is asked', async () => {
  const node = await startLogNode(1)
  const { range } = await begin([node], { limits: { maxLogBlocks: 2_000 } })
  expect(numbersIn(await range(0, 1_999))).toEqual(numbers(0, 1_999))
  node.ranges.length = 0
  const { status, body } = await range(0, 2_000)
  expect(status).toBe(200)
  expect(JSON.parse(body)).toMatchObject({ error: { code: -32_602, message: 'range 2001 exceeds limit of 2000' } })
  expect(node.ranges).toEqual([])
})

it('where logs are proven, ranges have a fixed bound, and parts are short', async () => {
  const nodes = [await startLogNode(1), await startLogNode(2)] as const
  const { range } = await begin(nodes, {}, { verify: 'proven' }, { maxProvenLogBlocks: 300 })
  expect(JSON.parse((await range(0, 300)).body)).toMatchObject({
    error: { code: -32_602, message: 'range 301 exceeds limit of 300' },
  })
  for (const node of nodes) {
    const empty = node.answer
    node.answer = (method, params) => {
      const answer = empty(method, params)
      return method === 'eth_getLogs' ? { result: [] } : answer
    }
  }
  expect(JSON.parse((await range(0, 299)).body)).toMatchObject({ result: [] })
  const asked = nodes.flatMap(({ ranges }) => ranges)
  expect(Math.max(...asked.map(([from, to]) => to - from + 1))).toBe(64)
})

it('the parts of a call ask no upstream that its project may not ask', async () => {
  const nodes = [await startLogNode(1, 50), await startLogNode(2)] as const
  const own = 'f'.repeat(32)
  const projects = [
    { name: 'open', keys: [{ key }] },
    { name: 'own', keys: [{ key: own }], upstreams: ['group-1'] },
  ]
  const { range } = await begin(nodes, { projects } as Partial<Config>)
  await range(0, 99)
  nodes[0].ranges.length = nodes[1].ranges.length = 0
  expect(numbersIn(await range(0, 1_999, own))).toEqual(numbers(0, 1_999))
  expect(nodes[1].ranges).toEqual([])
  expect(numbersIn(await range(0, 999))).toEqual(numbers(0, 999))
  expect(nodes[1].ranges).toEqual([[0, 999]])
})

it('whether an upstream has the last block of a part is asked of itself, and not of the cache', async () => {
  const node = await startLogNode(1)
  const { gateway, range } = await begin([node], { cache: {} })
  await untilKept(gateway.rpc)
  // The blocks are final, and yet so near the head that the parts ask for them.
  await range(3_900, 4_990)
  node.calls.length = node.ranges.length = 0
  expect(numbersIn(await range(3_900, 4_990))).toEqual(numbers(3_900, 4_990))
  const parts = node.ranges.filter(([, to]) => to > height - 128)
  expect(parts).not.toEqual([])
  expect(node.calls.filter((method) => method === 'eth_getBlockByNumber')).toHaveLength(3 * parts.length)
})

it('a caller who skips the cache has all parts of a long range from upstreams', async () => {
  const node = await startLogNode(1)
  const { gateway, ask } = await begin([node], { cache: {} })
  await untilKept(gateway.rpc)
  const filter = [{ fromBlock: '0x0', toBlock: hex(1_999) }]
  const logs = await ask(filter)
  node.ranges.length = 0
  expect((await ask(filter)).body).toBe(logs.body)
  const covered = (): number => node.ranges.reduce((blocks, [from, to]) => blocks + to - from + 1, 0)
  expect(covered()).toBeLessThan(2_000)
  node.ranges.length = 0
  expect((await ask(filter, key, { 'X-Wayleave-Skip-Cache': 'true' })).body).toBe(logs.body)
  expect(covered()).toBe(2_000)
})

describe('a long range where logs are proven', () => {
  /** Three nodes of a chain that can be proven, which `spoil` has give other answers. */
  async function beginProven(spoil: (chain: TrueChain, method: string, block: unknown) => NodeAnswer | undefined) {
    const chain = trueChain(400)
    const nodes = await Promise.all([1, 2, 3].map((name) => startChainNode(chain, name)))
    for (const node of nodes) {
      onTestFinished(() => node.close())
      node.answer = (method, params) => spoil(chain, method, params[0]) ?? trueAnswer(chain, method, params)
    }
    const upstreams = nodes.map(({ url }, i) => ({ name: `node-${i + 1}`, url }))
    const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams, verify: 'proven', followHeads: true } } as const
    const gateway = await startTestGateway([], { networks })
    onTestFinished(() => gateway.close(0))
    const ask = async (from: number, to: number) => {
      const filter = [{ fromBlock: hex(from), toBlock: hex(to) }]
      const { body, headers } = await send(gateway.rpc, `/v3/${key}`, { body: frame('eth_getLogs', filter) })
      const { calls } = JSON.parse((await send(gateway.admin, `/explain/${headers['x-trace-id'] as string}`)).body)
      return { logs: JSON.parse(body).result, level: calls[0]?.verification }
    }
    const logsOf = (from: number, to: number) => numbers(from, to).flatMap((number) => chain.block(number).logs)
    /** Answers to `eth_getLogs` that were verified at a level. */
    const marked = async (level: string): Promise<number> => {
      const { body } = await send(gateway.admin, '/metrics')
      const lines = body.split('\n').filter((line) => line.includes('method="eth_getLogs"') && line.includes(level))
      return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
    }
    return { ask, logsOf, marked }
  }

  it('is proven as a whole, as a short one is', async () => {
    const { ask, logsOf, marked } = await beginProven(() => undefined)
    // A call that went well is explained with its level as one that was slow is.
    expect(await ask(350, 352)).toEqual({ logs: logsOf(350, 352), level: 'proven' })
    expect(await ask(20, 300)).toEqual({ logs: logsOf(20, 300), level: 'proven' })
    expect(await marked('proven')).toBeGreaterThan(0)
  })

  it('is marked by the part that nobody can prove, as a short one is that nobody can', async () => {
    const { ask, logsOf } = await beginProven((chain, method, block) =>
      method === 'eth_getBlockReceipts' && block === chain.block(250).hash
        ? { error: { code: -32_000, message: 'receipts are pruned' } }
        : undefined,
    )
    expect(await ask(249, 251)).toEqual({ logs: logsOf(249, 251), level: 'consistent' })
    expect(await ask(20, 300)).toEqual({ logs: logsOf(20, 300), level: 'consistent' })
  })

  it('has the level of its least verified part, and none where no upstream is verified', () => {
    const options = (verify: VerificationLevel): LongLogsOptions => ({
      endpoints: [{ verify: 'off' }, { verify }],
      pool: { chain: undefined, mostBlocks: () => undefined },
      cache: undefined,
      verification: { isProven, extension: verification },
      limits: limitsOf({}),
      callerLimits: limitsOf({}),
      accountOf: () => undefined as never,
      clock: systemClock,
    })
    const { trust } = longLogs(options('proven'))
    const levelOf = (degree: number) => verification.of(trust!.on(degree))?.level
    const degreeOf = (level: 'proven' | 'consistent' | 'unverifiable'): number =>
      trust!.of({ result: rawJsonFromText('[]'), meta: verification.on({}, { level, anchor: 'none', fields: {} }) })
    for (const level of ['proven', 'consistent', 'unverifiable'] as const) expect(levelOf(degreeOf(level))).toBe(level)
    expect(degreeOf('proven')).toBeGreaterThan(degreeOf('consistent'))
    expect(degreeOf('consistent')).toBeGreaterThan(trust!.of({ result: rawJsonFromText('[]') }))
    expect(longLogs(options('off')).trust).toBeUndefined()
  })
})

it.each([
  [150, 150],
  [195, 204],
  [undefined, 204],
])('an upstream whose last told head was %s, where 200 is served, answers as one at %s', async (reported, at) => {
  const view = {
    head: { number: 200, hash: '0x1' },
    header: undefined,
    of: () => ({ head: reported === undefined ? undefined : { number: reported, hash: '0x2' } }),
    headAfter: async () => ({ number: 204, hash: '0x3' }),
  }
  const { headAfter } = longLogs({
    endpoints: [],
    pool: { chain: { view }, mostBlocks: () => undefined } as unknown as LongLogsOptions['pool'],
    cache: undefined,
    verification: undefined,
    limits: limitsOf({}),
    callerLimits: limitsOf({}),
    accountOf: () => undefined as never,
    clock: systemClock,
  })
  // It may have restarted, and have its blocks back by the time that it is asked.
  expect(await headAfter!({ result: rawJsonFromText('[]'), meta: { endpoint: 'a' } })).toBe(at)
})
