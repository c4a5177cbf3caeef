import { expect, it, onTestFinished } from 'vitest'
import { type ChainNode, type NodeAnswer, startChainNode, testChain } from '../chain-node.ts'
import { openCalledNetwork } from '../callers.ts'

type Filter = { readonly fromBlock: string; readonly toBlock: string; readonly address?: string }
type Rule = (blocks: number, filter: Filter) => NodeAnswer | 'hang' | 'cut' | undefined

const hex = (number: number): string => `0x${number.toString(16)}`
const address = `0x${'ab'.repeat(20)}`
const refusing = (code: number, message: string): NodeAnswer => ({ error: { code, message } })

/** A node that allows so many blocks, and says so. */
const allowing =
  (most: number): Rule =>
  (blocks) =>
    blocks > most ? refusing(-32_602, `range ${blocks} exceeds limit of ${most}`) : undefined

/** Nodes of one chain with a rule each for `trace_filter`; they answer with their number. All but the first cost much. */
async function begin(rules: readonly Rule[]) {
  const chain = testChain(400)
  const nodes = await Promise.all(rules.map((_, i) => startChainNode(chain, i + 1)))
  nodes.forEach((node, i) => {
    onTestFinished(() => node.close())
    node.answer = (method, [filter]) => {
      if (method !== 'trace_filter') return undefined
      const { fromBlock, toBlock } = filter as Filter
      const answer = rules[i]!(Number(toBlock) - Number(fromBlock) + 1, filter as Filter)
      return answer ?? { result: [hex(i + 1)] }
    }
  })
  const upstreams = nodes.map(({ url }, i) => ({ url, price: i * 1_000 }))
  const { network, ask: call } = await openCalledNetwork({ chainId: 1, upstreams }, { timeoutMs: 4_000 })
  onTestFinished(() => network.close())
  while ((await call('eth_gasPrice', [])).result === undefined);
  return {
    chain,
    call,
    nodes: nodes as [ChainNode, ...ChainNode[]],
    logs: (from: number, to: number, more: object = { address }) =>
      // A page is not split.
      call('trace_filter', [{ fromBlock: hex(from), toBlock: hex(to), count: 9_999, ...more }]),
    asked: () => nodes.map(({ calls }) => calls.splice(0).filter((method) => method === 'trace_filter').length),
  }
}

it('an upstream that has refused a range is not asked for one as long again', async () => {
  const { logs, asked } = await begin([allowing(10), allowing(100)])
  for (let i = 0; i < 20; i++) expect((await logs(i, i + 49)).result).toEqual(['0x2'])
  expect(asked()).toEqual([1, 20])
})

it('where all would refuse, the caller is told at once what the one allows that allows most', async () => {
  const { logs, asked } = await begin([allowing(10), allowing(100)])
  const first = await logs(0, 299)
  expect(first.error).toMatchObject({
    code: -32_602,
    message: expect.stringContaining('range 300 exceeds limit of 100'),
  })
  expect(asked()).toEqual([1, 1])
  expect((await logs(50, 349)).error).toMatchObject({
    code: -32_602,
    message: 'range 300 exceeds limit of 100. Try with this block range [0x32, 0x95].',
    data: { from: '0x32', to: '0x95', limit: 100 },
  })
  expect(asked()).toEqual([0, 0])
  expect((await logs(0, 99)).result).toEqual(['0x2'])
})

it('an only upstream’s own words reach the caller byte for byte', async () => {
  const words = { error: { code: -32_614, message: 'trace_filter is limited to a 10 range', data: { limit: 10 } } }
  const { logs } = await begin([(blocks) => (blocks > 10 ? words : undefined)])
  expect((await logs(0, 99)).error).toEqual(words.error)
})

it('too many results put out the search that had them, and ranges around it', async () => {
  const busy: Rule = (_blocks, { fromBlock, toBlock, address: of }) =>
    of === address && Number(fromBlock) <= 50 && Number(toBlock) >= 60
      ? refusing(-32_005, 'query returned more than 10000 results')
      : undefined
  const { logs, asked } = await begin([busy])
  const own = { code: -32_005, message: 'query returned more than 10000 results' }
  expect((await logs(50, 60)).error).toEqual(own)
  expect(asked()).toEqual([1])
  expect((await logs(50, 60)).error).toMatchObject(own)
  expect((await logs(0, 99)).error).toMatchObject({ code: -32_005, data: { from: '0x0', to: '0x4' } })
  expect(asked()).toEqual([0])
  expect((await logs(0, 99, {})).result).toEqual(['0x1'])
  expect((await logs(51, 99)).result).toEqual(['0x1'])
})

it('a node that closes the connection on a long range is asked last for it', async () => {
  let cut = 0
  const closing: Rule = (blocks) => {
    if (blocks <= 10) return undefined
    cut++
    return 'cut'
  }
  const { logs } = await begin([closing, () => undefined])
  for (let i = 0; i < 30; i++) {
    expect((await logs(i, i + 49, { topics: [String(i)] })).result).toEqual(['0x2'])
    // Its health stays good: only its ranges speak against it.
    for (let j = 0; j < 5; j++) expect((await logs(i, i + j)).result).toHaveLength(1)
  }
  // One or two, each sent once more on a new connection: on a busy machine the other may have been asked first for one of them.
  expect(cut).toBeGreaterThan(0)
  expect(cut).toBeLessThanOrEqual(4)
})

it('a node that is doubted is asked where no other one can answer', async () => {
  let isBroken = true
  const { logs } = await begin([() => (isBroken ? 'cut' : undefined)])
  expect((await logs(0, 99)).error).toBeDefined()
  isBroken = false
  expect((await logs(0, 99)).result).toEqual(['0x1'])
})

it('HTTP 413 counts as a refusal, and the next upstream answers', async () => {
  const { nodes, logs, asked } = await begin([() => undefined, () => undefined])
  let refused = 0
  nodes[0].refuse = (method) => {
    if (method !== 'trace_filter') return undefined
    refused++
    return { status: 413, headers: {} }
  }
  for (let i = 0; i < 10; i++) expect((await logs(0, 49)).result).toEqual(['0x2'])
  expect(asked()[1]).toBe(10)
  expect(refused).toBe(1)
})

it.each<[what: string, claim: string]>([
  ['a limit of 0', 'exceed maximum block range: 0'],
  ['a limit below 0', 'exceed maximum block range: -7'],
  ['a limit beyond all blocks', 'exceed maximum block range: 99999999999999'],
  ['nine megabytes of words', `block range is too large ${'x'.repeat(9_000_000)}`],
])('an upstream that claims %s harms nobody', async (_what, claim) => {
  const { logs, asked } = await begin([() => refusing(-32_000, claim), allowing(100)])
  for (let i = 0; i < 30; i++) expect((await logs(i, i + 99)).result).toEqual(['0x2'])
  expect(asked()[0]).toBeLessThanOrEqual(3)
  expect((await logs(0, 299)).error?.message).toContain('limit of 100')
})

it('an upstream that allows a range, but not at this moment, keeps it from being refused', async () => {
  const { nodes, logs, asked } = await begin([allowing(10), () => undefined])
  expect((await logs(0, 99)).result).toEqual(['0x2'])
  nodes[1]!.refuse = () => ({ status: 429, headers: { 'retry-after': '1' } })
  for (let i = 0; i < 3; i++) {
    expect((await logs(0, 99)).error?.message).toContain('1 rate limited')
  }
  expect(asked()[0]).toBe(1)
})

it('a range is found elsewhere though the node that allows it is a block behind', async () => {
  const { nodes, call, chain } = await begin([allowing(10), () => undefined])
  const logs = (from: number) => call('trace_filter', [{ fromBlock: hex(from), toBlock: hex(chain.height) }])
  expect((await logs(100)).result).toEqual(['0x2'])
  nodes[1]!.lag = 1
  chain.height++
  while ((await call('eth_blockNumber', [])).result !== hex(chain.height));
  const answer = logs(100)
  setTimeout(() => (nodes[1]!.lag = 0), 200)
  expect((await answer).result).toEqual(['0x2'])
})

it('a refusal without a number of a short range leaves others open, and is no reason to refuse any here', async () => {
  const dense = `0x${'ee'.repeat(20)}`
  const { logs, asked } = await begin([
    (_blocks, filter) => (filter.address === dense ? refusing(-32_000, 'block range is too wide') : undefined),
  ])
  expect((await logs(5, 6, { address: dense })).error?.message).toBe('block range is too wide')
  for (const blocks of [2, 3, 100]) expect((await logs(50, 49 + blocks)).result).toEqual(['0x1'])
  expect(asked()).toEqual([4])
})

it('words of a caller in the error of a node set no limit', async () => {
  const { logs } = await begin([
    (_blocks, filter) =>
      'topics' in filter ? refusing(-32_602, `invalid topic "${String(filter.topics)}"`) : undefined,
  ])
  expect((await logs(0, 99, { topics: ['block range is too wide (maximum 1)'] })).error?.message).toContain('topic')
  expect((await logs(0, 9)).result).toEqual(['0x1'])
})
