import {
  CallContext,
  collectStream,
  createContext,
  type CreateContextOptions,
  defineExtension,
  isStream,
  rawJsonFromText,
  rawJsonFromValue,
  type RawJson,
  type RawJsonStream,
  RpcError,
  type RpcHandler,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { getLogs, type GetLogsOptions } from '@wayleave/evm-events'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rangeHintOf } from '../src/range-hint.ts'
import { createSimChain, log, logObjects, type SimChain, type SimLog } from './support/sim-chain.ts'
import { createSimNode, type Fault, heightIn, settle, until } from './support/sim-node.ts'

interface Caps {
  readonly blocks?: number
  readonly results?: number
  readonly message?: (cap: number) => string
}

/** A chain of `height` blocks above 0, and a node with caps in front of it. */
function scene(
  options: Partial<GetLogsOptions> &
    Caps & {
      height?: number
      isStreamed?: boolean
      logsOf?: (n: number) => readonly SimLog[]
      delayMs?: () => number
      fault?: (method: string, params: string) => Fault
    } = {},
) {
  const { height = 50, logsOf = (n) => (n % 3 === 0 ? [log(n % 5, 7, n)] : []), blocks, results } = options
  const clock = new FakeClock()
  const chain = createSimChain(0)
  for (let n = 1; n <= height; n++) chain.grow(logsOf(n), 'silent')
  const node = createSimNode(chain, clock, options.fault, options.delayMs)
  const ranges: string[] = []
  const refused: number[] = []
  let [asking, mostAsking] = [0, 0]
  const capped: RpcHandler = async (request, context) => {
    if (request.method !== 'eth_getLogs') return node.ask(request, context)
    const [{ fromBlock, toBlock }] = request.params!.value() as [{ fromBlock: string; toBlock: string }]
    const [from, to] = [heightIn(chain, fromBlock), heightIn(chain, toBlock)]
    const span = to - from + 1
    if (blocks !== undefined && span > blocks) {
      refused.push(span)
      return { error: { code: -32000, message: options.message?.(blocks) ?? 'block range is too large' } }
    }
    ranges.push(`${from}-${to}`)
    mostAsking = Math.max(mostAsking, ++asking)
    const response = await node.ask(request, context).finally(() => asking--)
    if (response.error !== undefined || isStream(response.result)) return response
    const found = response.result.value() as unknown[]
    if (results !== undefined && found.length > results) {
      return { error: { code: -32005, message: `query returned more than ${results} results` } }
    }
    return options.isStreamed === true ? { result: streamOf(response.result.chunks()) } : response
  }
  const inSegments = { plainBlocks: 0, firstBlocks: 1_000 }
  const handler = getLogs({ clock, headOf: () => chain.head, ...inSegments, ...options })(capped)
  async function ask(filter: object, context: CreateContextOptions | CallContext = {}): Promise<RpcResponse> {
    const own = context instanceof CallContext ? context : createContext({ clock, timeoutMs: 60_000, ...context })
    const request = { method: 'eth_getLogs', params: rawJsonFromText(JSON.stringify([filter])), notification: false }
    return until(clock, handler(request, own))
  }
  return { clock, chain, node, ranges, refused, ask, mostAsking: () => mostAsking }
}

/** One byte at a time. */
function streamOf(chunks: readonly Uint8Array[]): RawJsonStream {
  return {
    streaming: true,
    cancel() {},
    async *[Symbol.asyncIterator]() {
      for (const chunk of chunks) for (const byte of chunk) yield Uint8Array.of(byte)
    },
  }
}

const all = { fromBlock: 'earliest', toBlock: 'latest' }

async function read(response: RpcResponse): Promise<unknown> {
  if (response.error !== undefined) throw new Error(response.error.message)
  const { result } = response
  return (isStream(result) ? await collectStream(result, 1e9) : result).value()
}

const spansOf = (ranges: readonly string[]): number[] =>
  ranges.map((range) => range.split('-').map(Number)).map(([from, to]) => to! - from! + 1)

const canonical = (chain: SimChain, from = 0, to = Number.POSITIVE_INFINITY): object[] =>
  chain
    .canonical()
    .filter(({ number }) => number >= from && number <= to)
    .flatMap(logObjects)

describe('ranges', () => {
  test('asks one question where no limit is known', async () => {
    const { chain, ranges, ask } = scene()
    expect(await read(await ask(all))).toEqual(canonical(chain))
    expect(ranges).toEqual(['0-50'])
  })

  test('starts with the limit that was learnt, four segments at a time, in order', async () => {
    const { chain, ranges, ask, mostAsking } = scene({
      blocks: 5,
      maxReorg: 0,
      limits: { mostBlocks: () => 5 },
      delayMs: () => 50,
    })
    expect(await read(await ask(all))).toEqual(canonical(chain))
    expect(ranges).toEqual(Array.from({ length: 11 }, (_, i) => `${5 * i}-${Math.min(50, 5 * i + 4)}`))
    expect(mostAsking()).toBe(4)
  })

  test('halves what is refused', async () => {
    const { chain, ask, ranges, refused } = scene({ blocks: 13 })
    expect(await read(await ask(all))).toEqual(canonical(chain))
    expect(refused).toEqual([51, 25])
    expect(spansOf(ranges).toSorted((a, b) => a - b)).toEqual([1, 2, 12, 12, 12, 12])
  })

  test('takes the count that the error names', async () => {
    const { ranges, ask } = scene({ blocks: 20, message: (cap) => `eth_getLogs is limited to a ${cap} range` })
    await ask(all)
    expect(ranges).toEqual(['0-19', '20-39', '40-50'])
  })

  test('splits down to one block, and gives the error where that is too much still', async () => {
    const dense = scene({ results: 1 })
    expect(await read(await dense.ask(all))).toEqual(canonical(dense.chain))
    const denser = scene({ results: 1, logsOf: (n) => (n === 30 ? [log(1, 1), log(1, 2)] : []) })
    expect(await denser.ask(all)).toEqual({ error: { code: -32005, message: 'query returned more than 1 results' } })
  })

  test.each([
    [{ fromBlock: '0x1', toBlock: '0x2' }, 1, 2],
    [{ fromBlock: '0x30' }, 48, 50],
    [{}, 50, 50],
    [{ fromBlock: null, toBlock: 'latest' }, 50, 50],
    [{ fromBlock: '0x40', toBlock: 'latest' }, 1, 0],
  ])('reads the range of %j', async (filter, from, to) => {
    const { chain, ask } = scene()
    expect(await read(await ask(filter))).toEqual(canonical(chain, from, to))
  })

  test.each([
    [{ fromBlock: 'pending' }, 'pending logs are not supported'],
    [{ fromBlock: '0x01' }, 'invalid argument 0: expected a hex block number without leading zeros (0x1b4) or a tag'],
    [{ fromBlock: '0x0', toBlock: '0x33' }, 'block range extends beyond current head block'],
    [all, 'range 51 exceeds limit of 40'],
  ])('refuses %j: %s', async (filter, message) => {
    const { ask, ranges } = scene(message.startsWith('range') ? { maxBlocks: 40 } : {})
    expect(await ask(filter)).toEqual({ error: { code: -32602, message } })
    expect(ranges).toEqual([])
  })

  test('a range whose end a node refuses to tell is refused in its words for the range', async () => {
    const words = { eth_getBlockByNumber: 'a future epoch', eth_getLogs: 'a range beyond the head' }
    const refusing: RpcHandler = async ({ method, params }) =>
      params!.text().includes('0x33')
        ? { error: { code: 1, message: words[method as keyof typeof words] } }
        : { result: rawJsonFromText('null') }
    const handler = getLogs({ clock: new FakeClock(), headOf: () => ({ number: 50, hash: '0x1' }) })(refusing)
    const params = rawJsonFromText('[{"fromBlock":"0x0","toBlock":"0x33"}]')
    expect(await handler({ method: 'eth_getLogs', params, notification: false }, createContext({}))).toEqual({
      error: { code: 1, message: words.eth_getLogs },
    })
  })

  test.each([
    ['[{"blockNumber":"0x33"}]', undefined, 16, true],
    ['[]', 51, 16, true],
    ['[]', 50, 16, false],
    ['[]', undefined, 16, false],
    ['[{"blockNumber":"0x33"}]', 51, 1, false],
  ])(
    'logs %s of a range whose end a node refuses to tell, at its head %s, of at most %d blocks: given %s',
    async (logs, at, maxBlocks, isGiven) => {
      const refused = { error: { code: 1, message: 'a future epoch' } }
      const refusing: RpcHandler = async ({ method, params }) =>
        method === 'eth_getBlockByNumber' && params!.text().includes('0x33')
          ? refused
          : { result: rawJsonFromText(method === 'eth_getLogs' ? logs : 'null') }
      const options = { headAfter: async () => at, maxBlocks }
      const handler = getLogs({ clock: new FakeClock(), headOf: () => ({ number: 50, hash: '0x1' }), ...options })(
        refusing,
      )
      const params = rawJsonFromText('[{"fromBlock":"0x30","toBlock":"0x33"}]')
      const answer = await handler({ method: 'eth_getLogs', params, notification: false }, createContext({}))
      if (isGiven) expect((answer.result as RawJson).text()).toBe(logs)
      else expect(answer).toEqual(refused)
    },
  )

  test('asks for the head, once, where none is known and the range is refused', async () => {
    const { chain, node, ask } = scene({ headOf: () => undefined, maxReorg: 0, blocks: 20 })
    expect(await read(await ask(all))).toEqual(canonical(chain))
    expect(node.asked.filter((text) => text.includes('latest'))).toHaveLength(1)
  })

  test.each([
    { fromBlock: 'earliest', toBlock: 'latest' },
    { fromBlock: '0x0', toBlock: 'latest' },
    { fromBlock: '0x0' },
  ])('holds %j to `maxBlocks`, too, while no head is known', async (filter) => {
    const { ask, ranges } = scene({ headOf: () => undefined, maxBlocks: 10, plainBlocks: 5 })
    expect(await ask(filter)).toMatchObject({
      error: { code: -32602, message: expect.stringMatching(/^range \d+ exceeds limit of 10$/) },
    })
    expect(ranges).toEqual([])
  })

  test.each([{}, { fromBlock: 'finalized', toBlock: 'finalized' }, { fromBlock: 'latest', toBlock: null }])(
    'passes %j as it came, one block, while no head is known',
    async (filter) => {
      const { node, ask } = scene({ headOf: () => undefined, plainBlocks: 5 })
      await read(await ask(filter))
      expect(node.asked).toEqual([`eth_getLogs ${JSON.stringify([filter])}`])
    },
  )

  test('passes a filter by block hash', async () => {
    const { chain, node, ask } = scene()
    const { hash } = chain.canonical()[3]!
    expect(await read(await ask({ blockHash: hash }))).toEqual(canonical(chain, 3, 3))
    expect(node.asked).toEqual([`eth_getLogs [{"blockHash":"${hash}"}]`])
  })
})

describe('short ranges', () => {
  const short = { plainBlocks: 10 }

  test.each([
    [{ fromBlock: '0x1', toBlock: '0xa' }],
    [{ fromBlock: '0x29', toBlock: 'latest' }],
    [{ fromBlock: '0x29', toBlock: 'finalized' }],
    [{}],
  ] as readonly [{ fromBlock?: string; toBlock?: string }][])('passes %j as it came', async (filter) => {
    const { chain, node, ask } = scene(short)
    const [from, to] = [filter.fromBlock, filter.toBlock].map((place) => heightIn(chain, place))
    expect(await read(await ask(filter))).toEqual(canonical(chain, from, to))
    expect(node.asked).toEqual([`eth_getLogs ${JSON.stringify([filter])}`])
  })

  test('passes numbers the wrong way round, for the node to refuse, and gives nothing after the head', async () => {
    const { node, ask } = scene({ ...short, fault: () => 'error' })
    expect((await ask({ fromBlock: '0x3', toBlock: '0x2' })).error).toBeDefined()
    expect(node.asked).toHaveLength(1)
    expect(await read(await ask({ fromBlock: '0x33' }))).toEqual([])
    expect(node.asked).toHaveLength(1)
  })

  test('passes a stream, and what the node tells beside its result', async () => {
    const stream = streamOf([])
    const meta = { endpoint: 'a' }
    const handler = getLogs({ clock: new FakeClock(), headOf: () => ({ number: 50, hash: '0x' }), ...short })
    const request = { method: 'eth_getLogs', params: rawJsonFromText('[{}]'), notification: false }
    const context = createContext({ acceptStream: true })
    const response = await handler(async () => ({ result: stream, meta }))(request, context)
    context.release()
    expect(response).toEqual({ result: stream, meta })
    expect((response as { result: unknown }).result).toBe(stream)
  })

  test('asks in segments for one block more, and for what nodes are known to refuse', async () => {
    const longer = scene({ ...short, firstBlocks: 4 })
    expect(await read(await longer.ask({ fromBlock: '0x0', toBlock: '0xa' }))).toEqual(canonical(longer.chain, 0, 10))
    expect(longer.ranges[0]).toBe('0-3')
    const known = scene({ ...short, limits: { mostBlocks: () => 5 } })
    expect(await read(await known.ask({ fromBlock: '0x1', toBlock: '0xa' }))).toEqual(canonical(known.chain, 1, 10))
    expect(known.ranges).toEqual(['1-5', '6-10'])
  })

  describe('that fail without a word', () => {
    const blocksIn = (params: string): number => {
      const [, from, to] = /"fromBlock":"(0x\w+)","toBlock":"(0x\w+)"/.exec(params) ?? []
      return Number(to) - Number(from) + 1
    }
    const beyond =
      (most: number, how: Fault) =>
      (method: string, params: string): Fault =>
        method === 'eth_getLogs' && blocksIn(params) > most ? how : undefined
    const ten = { fromBlock: '0x1', toBlock: '0xa' }

    test.each<Fault>(['hang', 'reject'])('are asked for in parts within the deadline: %s', async (how) => {
      const { chain, ask, ranges } = scene({ ...short, fault: beyond(3, how) })
      expect(await read(await ask(ten, { timeoutMs: 9_000 }))).toEqual(canonical(chain, 1, 10))
      expect(ranges[0]).toBe('1-10')
    })

    test('and have no time limit but that of their caller, nor parts, where these may not be tried', async () => {
      for (const how of ['hang', 'reject'] as const) {
        const { ask, ranges, clock } = scene({ ...short, mayTryParts: () => false, fault: beyond(3, how) })
        const since = clock.now()
        await expect(ask(ten, { timeoutMs: 9_000 })).rejects.toMatchObject({
          code: how === 'hang' ? 'timeout' : 'disconnected',
        })
        expect([ranges, clock.now() - since >= 9_000]).toEqual([['1-10'], how === 'hang'])
      }
    })

    test('fail as they did where their parts fail alike', async () => {
      const { ask } = scene({ ...short, fault: beyond(0, 'reject') })
      await expect(ask(ten)).rejects.toMatchObject({ code: 'disconnected', message: 'the node is gone' })
    })
  })

  test('asks in segments where a node refuses the range, and gives its words for a single block', async () => {
    const { chain, ask, ranges } = scene({ ...short, blocks: 4, message: (cap) => `limited to a ${cap} range` })
    expect(await read(await ask({ fromBlock: '0x1', toBlock: '0xa' }))).toEqual(canonical(chain, 1, 10))
    expect(ranges).toEqual(['1-4', '5-8', '9-10'])
    const dense = scene({ ...short, results: 0 })
    const error = { code: -32005, message: 'query returned more than 0 results' }
    expect(await dense.ask({ fromBlock: '0x3', toBlock: '0x3' })).toEqual({ error })
    expect(dense.ranges).toEqual(['3-3'])
  })
})

describe('bounds', () => {
  const many = (n: number): SimLog[] => Array.from({ length: 5 }, (_, i) => log(i, n))

  test('asks for more blocks than any node has answered for once at a time', async () => {
    const { chain, ask, refused } = scene({ height: 300, blocks: 10, firstBlocks: 4 })
    expect(await read(await ask({ fromBlock: '0x0', toBlock: 'latest' }))).toEqual(canonical(chain))
    expect(refused.slice(0, 3)).toEqual([32, 16, 16])
  })

  test('asks first for few blocks, then for as many as the logs allow', async () => {
    const { chain, ask, ranges } = scene({ firstBlocks: 2, aimBytes: 1_000_000 })
    expect(await read(await ask(all))).toEqual(canonical(chain))
    expect(ranges.slice(0, 3)).toEqual(['0-1', '2-17', '18-50'])
    const dense = scene({ firstBlocks: 8, aimBytes: 3_000, logsOf: many })
    await dense.ask(all)
    expect(
      Math.max(
        ...dense.ranges
          .slice(1)
          .map((range) => range.split('-'))
          .map(([from, to]) => Number(to) - Number(from)),
      ),
    ).toBe(0)
  })

  test('a pause of the nodes makes segments short only until it is over', async () => {
    let isPaused = false
    const { clock, chain, ask, ranges } = scene({
      height: 300,
      maxReorg: 0,
      maxSegmentBlocks: 20,
      fault: (_, params) => {
        if (params.includes('0x0')) clock.after(35_000, () => (isPaused = false))
        return params.includes('0x0') && (isPaused = true) ? undefined : isPaused ? 'hang' : undefined
      },
    })
    expect(await read(await ask(all, { timeoutMs: 90_000 }))).toEqual(canonical(chain))
    expect(spansOf(ranges)).toContain(1)
    expect(spansOf(ranges).slice(-4, -1)).toEqual([20, 20, 20])
  })

  test('asks for more again behind blocks with many logs, and seldom for what is refused', async () => {
    const dense = scene({
      height: 400,
      maxReorg: 0,
      results: 20,
      logsOf: (n) => Array.from({ length: n > 20 && n < 40 ? 15 : 0 }, (_, i) => log(i, n)),
    })
    expect(await read(await dense.ask(all))).toEqual(canonical(dense.chain))
    expect(dense.ranges.length).toBeLessThan(100)
    expect(Math.max(...spansOf(dense.ranges.slice(-8)))).toBeGreaterThan(60)
    const capped = scene({ height: 2_000, maxReorg: 0, blocks: 13 })
    expect(await read(await capped.ask(all))).toEqual(canonical(capped.chain))
    expect(capped.ranges.length).toBeLessThan(300)
    expect(capped.refused.length).toBeLessThan(30)
  })

  test('asks for the same segments of two ranges that overlap, where they are aligned', async () => {
    const options = {
      height: 2_000,
      firstBlocks: 25,
      isAligned: true,
      logsOf: (n: number) => (n % 9 === 0 ? [log(1, 7, n)] : []),
    }
    const { chain, ranges, ask } = scene(options)
    const shared = async (fromBlock: string, toBlock: string): Promise<readonly string[]> => {
      const before = ranges.length
      expect(await read(await ask({ fromBlock, toBlock }))).toEqual(
        canonical(chain, Number(fromBlock), Number(toBlock)),
      )
      return ranges.slice(before)
    }
    const first = await shared('0x7b', '0x76c')
    const second = await shared('0xde', '0x7d0')
    const [known, own] = [
      second.filter((range) => first.includes(range)),
      second.filter((range) => !first.includes(range)),
    ]
    const blocksOf = (some: readonly string[]): number => spansOf(some).reduce((sum, span) => sum + span, 0)
    expect(blocksOf(known)).toBeGreaterThanOrEqual(3 * blocksOf(own))
    expect(new Set(second).size).toBe(second.length)
  })

  test('asks for the known limit seldom, and after each refusal', async () => {
    let asked = 0
    const limits = { mostBlocks: () => (asked++, undefined) }
    const { ask, ranges } = scene({ height: 300, maxReorg: 0, limits, maxSegmentBlocks: 1 })
    await ask(all)
    expect(ranges).toHaveLength(301)
    expect(asked).toBeLessThan(15)
  })

  test('repeats no filter over 65,536 characters', async () => {
    const address = Array.from({ length: 1_500 }, (_, i) => `0x${i.toString(16).padStart(40, '0')}`)
    const { node, ask } = scene({ plainBlocks: 10 })
    expect(await ask({ fromBlock: '0x0', toBlock: '0xa', address })).toEqual({
      error: {
        code: -32602,
        message:
          'the filter is longer than 65536 characters: name fewer addresses or topics, or ask for at most 10 blocks at a time',
      },
    })
    expect(node.asked).toEqual([])
    expect((await ask({ fromBlock: '0x0', toBlock: '0x9', address })).error).toBeUndefined()
    const capped = scene({ plainBlocks: 10, blocks: 5 })
    const error = { code: -32000, message: 'block range is too large' }
    expect(await capped.ask({ fromBlock: '0x0', toBlock: '0x9', address })).toEqual({ error })
  })

  test('takes from the share for each question beside the first', async () => {
    let [taken, most] = [0, 0]
    const share = {
      take(tenant: string | undefined, count: number) {
        expect(tenant).toBe('a')
        if (taken + count > 2) return false
        most = Math.max(most, (taken += count))
        return true
      },
      give: (_: unknown, count: number) => void (taken -= count),
    }
    const { chain, ask, mostAsking } = scene({ share, limits: { mostBlocks: () => 5 }, delayMs: () => 50 })
    expect(await read(await ask(all, { tenant: 'a' }))).toEqual(canonical(chain))
    expect([mostAsking(), most, taken]).toEqual([3, 2, 0])
  })

  test('goes on where the share is full and the part that is next was refused', async () => {
    let taken = 0
    const share = { take: () => taken === 0 && (taken++, true), give: () => void taken-- }
    const logsOf = (n: number): SimLog[] => Array.from({ length: n > 4 && n < 10 ? 5 : 1 }, (_, i) => log(i, n))
    const limits = { mostBlocks: () => 5 }
    const { chain, ask, ranges } = scene({ share, limits, logsOf, results: 12, firstBlocks: 5, delayMs: () => 50 })
    expect(await read(await ask(all))).toEqual(canonical(chain))
    expect(ranges.slice(0, 4)).toEqual(['0-4', '5-9', '10-14', '5-6'])
    expect(taken).toBe(0)
  })

  test.each([true, false])('an account pays for what is held, stream: %s', async (acceptStream) => {
    let [held, most] = [0, 0]
    const account = {
      take: (bytes: number) => ((most = Math.max(most, (held += bytes))), true),
      give: (bytes: number) => void (held -= bytes),
      refusal: () => new RpcError('overloaded', 'no'),
    }
    const options = { accountOf: () => account, logsOf: many, heldBytes: 1_000, concurrency: 2 }
    const { chain, ask } = scene({ ...options, limits: { mostBlocks: () => 2 } })
    expect(await read(await ask(all, { acceptStream }))).toEqual(canonical(chain))
    const bytes = JSON.stringify(canonical(chain)).length
    expect(held).toBe(0)
    if (acceptStream) expect(most).toBeLessThan(bytes / 4)
    else expect(most).toBeGreaterThan(bytes / 2)
    const poor = scene({ ...options, accountOf: () => ({ ...account, take: () => false }) })
    await expect(poor.ask(all, { acceptStream })).rejects.toMatchObject({ code: 'overloaded' })
  })

  test('gives back once what it held, at whatever moment it is cancelled', async () => {
    for (let turns = 0; turns < 30; turns++) {
      let [held, least, taken] = [0, 0, 0]
      const account = {
        take: (bytes: number) => ((taken++, (held += bytes)), true),
        give: (bytes: number) => void (least = Math.min(least, (held -= bytes))),
        refusal: () => new RpcError('overloaded', 'no'),
      }
      let isDone = false
      const { chain, clock, ask } = scene({
        height: 3,
        accountOf: () => account,
        fault: () => {
          if (taken === 0 || isDone) return undefined
          isDone = true
          chain.reorg(1, 1, (i) => [log(9, i)])
          let turn = Promise.resolve()
          for (let i = 0; i < turns; i++) turn = turn.then(() => {})
          void turn.then(() => context.cancel(new RpcError('aborted', 'the caller has left')))
          return undefined
        },
      })
      const context = createContext({ clock, timeoutMs: 60_000 })
      await expect(ask({ fromBlock: '0x0', toBlock: '0x3' }, context)).rejects.toMatchObject({ code: 'aborted' })
      expect([turns, least, held]).toEqual([turns, 0, 0])
    }
  })

  test('the deadline holds until the answer begins, then each segment has its own', async () => {
    const options = {
      logsOf: many,
      heldBytes: 100,
      concurrency: 1,
      limits: { mostBlocks: () => 5 },
      delayMs: () => 900,
    }
    const { clock, chain, ask } = scene(options)
    const own = createContext({ clock, acceptStream: true, timeoutMs: 8_000 })
    const { result } = (await ask(all, own)) as { result: RawJsonStream }
    // The host gives it more time, as parts pass.
    own.release()
    expect(
      await until(
        clock,
        collectStream(result, 1e9).then((logs) => logs.value()),
      ),
    ).toEqual(canonical(chain))
    expect(clock.now()).toBeGreaterThan(own.deadline)
    await expect(scene(options).ask(all, { timeoutMs: 800 })).rejects.toMatchObject({ code: 'timeout' })
  })
})

describe('trust', () => {
  /** Segments of ten blocks each, each trusted as `degrees` tells. */
  const begin = (degrees: readonly number[], options: Partial<GetLogsOptions> = {}) => {
    const left = [...degrees]
    const trust = { of: () => left.shift() ?? 9, on: (degree: number) => ({ endpoint: `degree ${degree}` }) }
    return scene({ concurrency: 1, maxReorg: 0, limits: { mostBlocks: () => 10 }, trust, ...options })
  }

  test('marks an answer of several segments by the one that is trusted least', async () => {
    const { chain, ask } = begin([2, 1, 2])
    const response = await ask(all)
    expect(response.meta).toEqual({ endpoint: 'degree 1' })
    expect(await read(response)).toEqual(canonical(chain))
    expect((await scene({ limits: { mostBlocks: () => 10 } }).ask(all)).meta).toBeUndefined()
  })

  test('breaks a stream off before a segment that is trusted less than those before', async () => {
    const streamed = { heldBytes: 100, logsOf: (n: number) => [log(1, n)] }
    const good = begin([1, 2, 1, 1, 1, 1], streamed)
    const passed = await good.ask(all, { acceptStream: true })
    expect(passed.meta).toEqual({ endpoint: 'degree 1' })
    expect(await read(passed)).toEqual(canonical(good.chain))
    const { result, meta } = await begin([2, 2, 1], streamed).ask(all, { acceptStream: true })
    expect(meta).toEqual({ endpoint: 'degree 2' })
    await expect(collectStream(result as RawJsonStream, 1e9)).rejects.toMatchObject({
      message: 'the logs broke off: blocks 20 to 29 cannot be verified as those before: ask for them alone',
    })
  })
})

describe('faults', () => {
  test.each<Fault>(['reject', 'hang', 'garbage'])('asks again after one %s', async (fault) => {
    let left = 1
    const { chain, ask } = scene({
      limits: { mostBlocks: () => 10 },
      fault: (method, params) =>
        method === 'eth_getLogs' && params.includes('0x14') && left-- > 0 ? fault : undefined,
      check: async (_, logs) => {
        if (!Array.isArray(logs.value())) throw new RpcError('invalid_response', 'no array')
      },
    })
    expect(await read(await ask(all))).toEqual(canonical(chain))
  })

  test.each([1, 2, 3, 6])('asks again where its node lost the blocks of a segment for %s questions', async (lost) => {
    // It had the last block before, and has it again a moment later.
    let left = -1
    const { chain, ask } = scene({
      limits: { mostBlocks: () => 10 },
      concurrency: 1,
      fault(method, params) {
        if (left === -1 && method === 'eth_getLogs' && params.includes('0x14')) {
          left = lost
          return 'empty'
        }
        return method !== 'eth_getLogs' && left > 0 && left-- > 0 ? 'null' : undefined
      },
    })
    expect(await read(await ask(all))).toEqual(canonical(chain))
  })

  test('fails where no node answers a segment, and asks nothing more', async () => {
    const { clock, node, ask } = scene({
      limits: { mostBlocks: () => 5 },
      fault: (method, params) => (method === 'eth_getLogs' && params.includes('"0x14"') ? 'reject' : undefined),
    })
    await expect(ask(all)).rejects.toMatchObject({ code: 'disconnected' })
    const asked = node.asked.length
    await settle(clock, 20_000)
    expect(node.asked).toHaveLength(asked)
    expect(node.open()).toBe(0)
  })

  test('never gives fewer logs as an answer, whatever is asked of the node fails', async () => {
    const faults = fc.constantFrom<Fault>(undefined, undefined, undefined, 'reject', 'error', 'null', 'hang')
    await fc.assert(
      fc.asyncProperty(
        fc.array(faults, { minLength: 1, maxLength: 40 }),
        fc.constantFrom(5, 17, 1_000),
        fc.boolean(),
        async (plan, blocks, acceptStream) => {
          let i = 0
          const { chain, ask, clock } = scene({ blocks, heldBytes: 500, fault: () => plan[i++ % plan.length] })
          const logs = await until(clock, ask(all, { acceptStream }).then(read)).catch((thrown: unknown) => thrown)
          if (Array.isArray(logs)) expect(logs).toEqual(canonical(chain))
          else expect(logs).toBeInstanceOf(Error)
          // The deadline of the call itself, unless it has passed.
          expect(clock.timers).toBeLessThanOrEqual(1)
        },
      ),
      { numRuns: 40 },
    )
  })
})

describe('several nodes', () => {
  const pin = defineExtension<string>('node')
  const asksNode = defineExtension<true>('asksNode')

  /** Two nodes answer in `turns`, but for questions that are pinned; the last 15 blocks of the second one are others, or it lacks them. `isCached`: a cache tells blocks in their place. */
  function pair(lacks: boolean, turns: readonly number[], isCached = false) {
    const clock = new FakeClock()
    const [one, other] = [createSimChain(0), createSimChain(0)]
    for (let n = 1; n <= 40; n++) one.grow([log(1, n)], 'silent')
    for (let n = 1; n <= 25; n++) other.grow([log(1, n)], 'silent')
    // Their hashes are others, too.
    for (let n = 1; n <= (lacks ? 0 : 50); n++) other.reorg(1, 0, () => [log(2, n)])
    for (let n = 1; n <= (lacks ? 0 : 15); n++) other.grow([log(2, n)], 'silent')
    const nodes = [createSimNode(one, clock), createSimNode(other, clock)]
    let asked = 0
    const ask: RpcHandler = async (request, context) => {
      const name = pin.of(request) ?? String(turns[asked++ % turns.length])
      const response = await nodes[Number(name)]!.ask(request, context)
      return { ...response, meta: { endpoint: name } }
    }
    /** Tells blocks of the first node, and names none. */
    const cached: RpcHandler = (request, context) =>
      request.method === 'eth_getBlockByNumber' && pin.of(request) === undefined && asksNode.of(request) !== true
        ? nodes[0]!.ask(request, context)
        : ask(request, context)
    const handler = getLogs({
      clock,
      headOf: () => one.head,
      plainBlocks: 0,
      maxSegmentBlocks: 7,
      sameNode: (request, { meta }) => (meta?.endpoint === undefined ? request : pin.on(request, meta.endpoint)),
      ofNode: (request) => asksNode.on(request, true),
    })(isCached ? cached : ask)
    const params = rawJsonFromText(JSON.stringify([{ fromBlock: '0x15', toBlock: 'latest' }]))
    const request = { method: 'eth_getLogs', params, notification: false }
    const answer = until(clock, handler(request, createContext({ clock, timeoutMs: 60_000 })))
    return { one, other, answer: answer.then(read).catch((thrown: unknown) => thrown) }
  }
  const turns = fc.array(fc.constantFrom(0, 1), { minLength: 5, maxLength: 30 })

  test('one that lacks the last blocks does not answer for them', async () => {
    await fc.assert(
      fc.asyncProperty(turns, async (those) => {
        const { one, answer } = pair(true, those)
        const reported = await answer
        if (!(reported instanceof RpcError)) expect(reported).toEqual(canonical(one, 21))
      }),
      { numRuns: 150 },
    )
  })

  test('nor does it where a cache tells their blocks', async () => {
    await fc.assert(
      fc.asyncProperty(turns, async (those) => {
        const { one, answer } = pair(true, those, true)
        const reported = await answer
        if (!(reported instanceof RpcError)) expect(reported).toEqual(canonical(one, 21))
      }),
      { numRuns: 150 },
    )
  })

  test('an answer is of one chain, where each has another', async () => {
    await fc.assert(
      fc.asyncProperty(turns, async (those) => {
        const { one, other, answer } = pair(false, those)
        const reported = await answer
        if (!(reported instanceof RpcError)) expect([canonical(one, 21), canonical(other, 21)]).toContainEqual(reported)
      }),
      { numRuns: 150 },
    )
  })
})

describe('the last block of a short range', () => {
  const range = { fromBlock: '0x28', toBlock: '0x32' }
  /** Two nodes of one chain, of which the one that is asked first lacks the last 5 of 50 blocks until it is asked for its head. */
  function nodes(
    logsOf: (n: number) => readonly SimLog[],
    reports: (head: number) => number | undefined = (head) => head,
  ) {
    const clock = new FakeClock()
    const one = createSimChain(0)
    const behind = createSimChain(0)
    for (let n = 1; n <= 50; n++) {
      one.grow(logsOf(n), 'silent')
      if (n <= 45) behind.grow(logsOf(n), 'silent')
    }
    const sims = { fallen: createSimNode(behind, clock), whole: createSimNode(one, clock) }
    const heads = { fallen: 45, whole: 50 }
    const reported = new Set<string>()
    const asked: string[] = []
    const ask: RpcHandler = async (request, context) => {
      const name = reported.has('fallen') ? 'whole' : 'fallen'
      asked.push(`${name} ${request.method}`)
      return { ...(await sims[name].ask(request, context)), meta: { endpoint: name } }
    }
    const handler = getLogs({
      clock,
      headOf: () => one.head,
      maxReorg: 20,
      async headAfter({ meta }) {
        const name = meta!.endpoint as keyof typeof sims
        asked.push(`${name} head`)
        reported.add(name)
        return reports(heads[name])
      },
    })(ask)
    const logsIn = async (filter: object): Promise<unknown> => {
      const params = rawJsonFromText(JSON.stringify([filter]))
      const context = createContext({ clock, timeoutMs: 60_000 })
      return read(await until(clock, handler({ method: 'eth_getLogs', params, notification: false }, context)))
    }
    return { one, asked, logsIn }
  }
  const everyFifth = (n: number): SimLog[] => (n % 5 === 0 && n < 46 ? [log(1, n)] : n === 47 ? [log(2, n)] : [])

  test('a node that lacks it does not answer', async () => {
    const { one, asked, logsIn } = nodes(everyFifth)
    expect(await logsIn(range)).toEqual(canonical(one, 40))
    expect(asked).toEqual(['fallen eth_getLogs', 'fallen head', 'whole eth_getLogs', 'whole head'])
    const latest = nodes(everyFifth)
    expect(await latest.logsIn({ fromBlock: '0x28' })).toEqual(canonical(latest.one, 40))
  })

  test('is not asked for where a log of it is there, or it is too old to be lacking', async () => {
    const { asked, logsIn } = nodes((n) => (n % 5 === 0 ? [log(1, n)] : []))
    await logsIn({ fromBlock: '0x1e', toBlock: '0x2d' })
    await logsIn({ fromBlock: '0x1', toBlock: '0x1d' })
    expect(asked).toEqual(['fallen eth_getLogs', 'fallen eth_getLogs'])
  })

  test('an answer that no node’s head bears out is an error, after a few attempts', async () => {
    const { asked, logsIn } = nodes(everyFifth, () => undefined)
    await expect(logsIn(range)).rejects.toMatchObject({ code: 'unavailable' })
    expect(asked.filter((what) => what.endsWith('eth_getLogs'))).toHaveLength(5)
  })
})

describe('streams', () => {
  const many = (n: number): SimLog[] => Array.from({ length: 5 }, (_, i) => log(i, n))

  test('gives a whole value where it is short, and a stream past the held bytes', async () => {
    const short = await scene().ask(all, { acceptStream: true })
    expect(isStream((short as { result: RawJsonStream }).result)).toBe(false)
    const { chain, ask } = scene({ logsOf: many, heldBytes: 4_000, limits: { mostBlocks: () => 5 } })
    const long = await ask(all, { acceptStream: true })
    expect(isStream((long as { result: RawJsonStream }).result)).toBe(true)
    expect(await read(long)).toEqual(canonical(chain))
  })

  test('holds no more than four segments while nobody reads, and frees all when cancelled', async () => {
    const { clock, ranges, node, ask } = scene({ logsOf: many, heldBytes: 100, limits: { mostBlocks: () => 1 } })
    const { result } = (await ask(all, { acceptStream: true })) as { result: RawJsonStream }
    await settle(clock, 1_000)
    // The held one of block 1 follows the empty genesis.
    expect(ranges.length).toBeLessThanOrEqual(6)
    result.cancel()
    await settle(clock, 1_000)
    expect(ranges.length).toBeLessThanOrEqual(6)
    expect(node.open()).toBe(0)
    expect(clock.timers).toBe(1)
    await expect(collectStream(result, 1e9)).rejects.toMatchObject({ code: 'aborted' })
  })

  test('breaks where a node dies in the middle', async () => {
    let isDead = false
    const { clock, ask } = scene({
      logsOf: many,
      heldBytes: 2_000,
      limits: { mostBlocks: () => 1 },
      fault: (method) => (isDead && method === 'eth_getLogs' ? 'reject' : undefined),
    })
    const { result } = (await ask(all, { acceptStream: true })) as { result: RawJsonStream }
    isDead = true
    const reading = collectStream(result, 1e9).catch((thrown: unknown) => thrown)
    await settle(clock, 2_000)
    expect(await reading).toMatchObject({
      code: 'disconnected',
      message: expect.stringContaining('the logs broke off'),
    })
  })

  test('collects what nodes stream, and asks for an eighth where it is too long', async () => {
    const { chain, ranges, ask } = scene({ isStreamed: true, logsOf: (n) => [log(1, n)], maxSegmentBytes: 5_000 })
    expect(await read(await ask(all))).toEqual(canonical(chain))
    expect(ranges.slice(0, 2)).toEqual(['0-50', '0-5'])
  })

  test('refuses more bytes than a caller without streams may get', async () => {
    const { ask } = scene({ logsOf: many, maxBytes: 5_000 })
    await expect(ask(all)).rejects.toMatchObject({ code: 'too_large' })
  })
})

describe('reorgs', () => {
  test('asks again for a segment that a reorg replaced before it was given', async () => {
    let isDone = false
    const { chain, ask } = scene({
      limits: { mostBlocks: () => 10 },
      check: async ({ toBlock }) => {
        if (toBlock !== 49 || isDone) return
        isDone = true
        chain.reorg(5, 1, (i) => [log(9, i)])
      },
    })
    expect(await read(await ask({ fromBlock: 'earliest', toBlock: '0x32' }))).toEqual(canonical(chain, 0, 50))
  })

  test('begins anew where nothing has left, else breaks the stream', async () => {
    const deep = (heldBytes: number) => {
      let isDone = false
      const made = scene({
        logsOf: (n) => [log(1, n)],
        heldBytes,
        concurrency: 1,
        limits: { mostBlocks: () => 10 },
        check: async ({ fromBlock }) => {
          if (fromBlock !== 40 || isDone) return
          isDone = true
          made.chain.reorg(30, 1, (i) => [log(9, i)])
        },
      })
      return made
    }
    const early = deep(1e6)
    const range = { fromBlock: 'earliest', toBlock: '0x32' }
    expect(await read(await early.ask(range, { acceptStream: true }))).toEqual(canonical(early.chain, 0, 50))
    const late = deep(100)
    const { result } = (await late.ask(range, { acceptStream: true })) as { result: RawJsonStream }
    await expect(collectStream(result, 1e9)).rejects.toMatchObject({
      message: expect.stringContaining('a reorg replaced block'),
    })
  })

  test('gives the logs of one chain, whatever is replaced meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ at: fc.nat(30), depth: fc.integer({ min: 1, max: 64 }) }), { maxLength: 4 }),
        fc.constantFrom(3, 8, 40, 1_000),
        async (reorgs, blocks) => {
          let asked = 0
          const { chain, ask } = scene({
            height: 90,
            blocks,
            delayMs: () => 20,
            logsOf: (n) => [log(1, n)],
            fault: () => {
              asked++
              for (const { at, depth } of reorgs) if (at === asked) chain.reorg(depth, 1, (i) => [log(9, i)])
              return undefined
            },
          })
          const got = await ask({ fromBlock: '0x0', toBlock: '0x5a' }).then(read, (thrown: unknown) => thrown)
          if (!Array.isArray(got)) return expect(got).toBeInstanceOf(Error)
          const hashes = (got as { blockHash: string }[]).map(({ blockHash }) => chain.at(blockHash)!)
          expect(hashes.map(({ number }) => number)).toEqual(Array.from({ length: 90 }, (_, i) => i + 1))
          for (const [i, block] of hashes.entries()) if (i > 0) expect(block.parentHash).toBe(hashes[i - 1]!.hash)
        },
      ),
      { numRuns: 60 },
    )
  })
})

describe.each(['trace_filter', 'arbtrace_filter'])('%s', (method) => {
  /** A node that takes four blocks at a time, and has one trace in each. */
  function node() {
    const asked: string[] = []
    const handler: RpcHandler = async ({ params }) => {
      const text = params!.text()
      asked.push(text)
      const [{ fromBlock, toBlock = '0x32', count }] = params!.value() as [Record<string, string>]
      const [from, to] = [Number(fromBlock), Number(toBlock)]
      if (to - from >= 4 && count === undefined) return { error: { code: -32000, message: 'block range is too large' } }
      return { result: rawJsonFromValue(Array.from({ length: to - from + 1 }, (_, i) => ({ blockNumber: from + i }))) }
    }
    const clock = new FakeClock()
    const headOf = () => ({ number: 50, hash: '0x' })
    const split = getLogs({ clock, headOf, maxReorg: 0, firstBlocks: 4, plainBlocks: 100, maxBlocks: 100 })(handler)
    const ask = (filter: object): Promise<RpcResponse> =>
      until(clock, split({ method, params: rawJsonFromValue([filter]), notification: false }, createContext({ clock })))
    return { asked, ask }
  }

  test('is asked for in parts that a node takes, with its other members', async () => {
    const { asked, ask } = node()
    const traces = await read(await ask({ fromBlock: '0x1', toBlock: '0xa', fromAddress: ['0xab'] }))
    expect(traces).toEqual(Array.from({ length: 10 }, (_, i) => ({ blockNumber: i + 1 })))
    expect(asked[1]).toBe('[{"fromBlock":"0x1","toBlock":"0x4","fromAddress":["0xab"]}]')
  })

  test.each([
    { fromBlock: '0x1', toBlock: '0xa', count: 5 },
    { fromBlock: '0x1', toBlock: '0xa', after: 0, count: 9 },
    { toBlock: '0xa' },
    { fromBlock: '0x1', toBlock: '0x32000' },
    { fromBlock: '0x1', toBlock: 'pending' },
  ])('passes %j as it came: a page, a start that each node chooses, ends that are not known', async (filter) => {
    const { asked, ask } = node()
    await ask(filter)
    expect(asked).toEqual([JSON.stringify([filter])])
  })
})

test.each([
  ['this block range should work: [0x10, 0x1f]', 100, 16],
  ['query returned more than 10000 results. Try with this block range [0x0, 0x3].', 100, 4],
  ['eth_getLogs is limited to a 10,000 range', 50_000, 10_000],
  ['range 20000 exceeds limit of 10000', 20_000, 10_000],
  ['exceed maximum block range: 5000', 9_000, 5_000],
  ['maximum block range is 1000', 9_000, 1_000],
  ['query returned more than 10000 results', 50_000, undefined],
  ['block range is too large', 50, undefined],
  ['limited to a 10,000 range', 5_000, undefined],
])('reads the range of the error "%s"', (message, asked, blocks) => {
  expect(rangeHintOf({ code: -32000, message }, asked)).toBe(blocks)
})
