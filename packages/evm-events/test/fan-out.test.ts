import { type RawJson, RpcError, type RpcSink } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import {
  createBlockLogs,
  createChainStream,
  createFanOut,
  type FanOutOptions,
  isAddedHead,
  type LogCriteria,
  logCriteriaOf,
  matchesLog,
  type StreamBlock,
} from '@wayleave/evm-events'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { address, createSimChain, log, receiptObjects, type SimBlock, type SimLog, word } from './support/sim-chain.ts'
import { createSimNode, drain, type Fault, settle } from './support/sim-node.ts'

interface Options extends Partial<FanOutOptions> {
  readonly fault?: (method: string, params: string) => Fault
  readonly delayMs?: () => number
  readonly maxKeptBlocks?: number
}

const height = 100_000_000

function scene({ fault, delayMs, maxKeptBlocks = 128, ...options }: Options = {}) {
  const clock = new FakeClock()
  const chain = createSimChain(height)
  const node = createSimNode(chain, clock, fault, delayMs)
  const { ask } = node
  const stream = createChainStream({ source: chain, ask, clock })
  const fanOut = createFanOut({ stream, blockLogs: createBlockLogs({ ask, clock, maxKeptBlocks }), clock, ...options })
  const dataCalls = (): string[] => node.asked.filter((line) => !line.startsWith('eth_getBlockByHash'))
  return { clock, chain, node, stream, fanOut, dataCalls }
}

interface Reported extends RpcSink {
  readonly events: RawJson[]
  readonly ends: (RpcError | undefined)[]
}

function sink(onEvent: () => void = () => {}): Reported {
  const events: RawJson[] = []
  const ends: (RpcError | undefined)[] = []
  return {
    events,
    ends,
    event(method, result) {
      expect(method).toBe('eth_subscription')
      expect(ends).toEqual([])
      events.push(result)
      onEvent()
      return true
    },
    gap: () => expect.unreachable(),
    end: (why) => void ends.push(why),
  }
}

type LogEvent = { blockHash: string; logIndex: string; removed: boolean; address: string; topics: string[] }
const logEvents = ({ events }: Reported): LogEvent[] => events.map((event) => event.value() as LogEvent)
/** `+` or `-` with block and index of each log. */
const signs = (reported: Reported): string[] =>
  logEvents(reported).map(
    ({ removed, blockHash, logIndex }) => `${removed ? '-' : '+'}${blockHash.slice(-3)}:${Number(logIndex)}`,
  )
const short = ({ hash }: { hash: string }): string => hash.slice(-3)
const all: LogCriteria = logCriteriaOf({})

describe('telling', () => {
  test('asks once a block for any number of sinks, and makes each event once', async () => {
    const { clock, chain, fanOut, dataCalls } = scene()
    const heads = [sink(), sink()]
    const logs = [sink(), sink(), sink()]
    for (const one of heads) fanOut.newHeads(one)
    for (const one of logs) fanOut.logs(all, one)
    await settle(clock)
    const block = chain.grow([log(1, 1), log(2, 1)])
    await settle(clock)
    expect(dataCalls()).toEqual([`eth_getLogs [{"blockHash":"${block.hash}"}]`])
    for (const one of heads) expect(one.events).toHaveLength(1)
    expect(signs(logs[0]!)).toEqual([`+${short(block)}:0`, `+${short(block)}:1`])
    expect(logs[1]!.events[0]).toBe(logs[0]!.events[0])
    expect(heads[1]!.events[0]).toBe(heads[0]!.events[0])
  })

  test('the header of an added block is known as such, other events are not', async () => {
    const { clock, chain, fanOut } = scene()
    const [heads, logs] = [sink(), sink()]
    fanOut.newHeads(heads)
    fanOut.logs(all, logs)
    await settle(clock)
    chain.grow([log(1, 1)])
    await settle(clock)
    expect(heads.events.map(isAddedHead)).toEqual([true])
    expect(logs.events.map(isAddedHead)).toEqual([false])
  })

  test('tells sinks of heads where they begin, and those of logs the end of each block too', async () => {
    const { clock, chain, fanOut } = scene()
    const places: string[] = []
    const following = (name: string): RpcSink => ({
      ...sink(() => places.push(`${name} told`)),
      reached: ({ hash }) => void places.push(`${name} ${hash!.slice(-3)}`),
    })
    const [first] = chain.canonical()
    fanOut.newHeads(following('heads'))
    fanOut.logs(all, following('logs'))
    await settle(clock)
    expect(places).toEqual([`heads ${short(first!)}`, `logs ${short(first!)}`])
    const quiet = chain.grow([])
    await settle(clock)
    expect(places.splice(2)).toEqual(['heads told', `logs ${short(quiet)}`])
    fanOut.logs(all, following('late'))
    expect(places.splice(2)).toEqual([`late ${short(quiet)}`])
    const block = chain.grow([log(1, 1)])
    await settle(clock)
    const both = ['logs told', 'late told', `logs ${short(block)}`, `late ${short(block)}`]
    expect(places.splice(2)).toEqual(['heads told', ...both])
    chain.reorg(1, 0)
    await settle(clock)
    const replaced = chain.head
    expect(places.splice(2)).toEqual([
      'heads told',
      'logs told',
      'late told',
      `logs ${short(quiet)}`,
      `late ${short(quiet)}`,
      `logs ${short(replaced)}`,
      `late ${short(replaced)}`,
    ])
  })

  test('asks for nothing that nobody wants', async () => {
    const { clock, chain, fanOut, dataCalls } = scene()
    fanOut.newHeads(sink())
    const leave = fanOut.logs(logCriteriaOf({ address: address(9), topics: [word(8)] }), sink())
    await settle(clock)
    chain.grow([log(1, 1)])
    await settle(clock)
    expect(dataCalls()).toEqual([])
    leave()
    chain.grow([log(9, 8)])
    await settle(clock)
    expect(dataCalls()).toEqual([])
  })

  test('asks for few addresses by name, and for all logs once anybody takes any', async () => {
    const { clock, chain, fanOut, dataCalls } = scene()
    const one = sink()
    fanOut.logs(logCriteriaOf({ address: address(1) }), one)
    await settle(clock)
    chain.grow([log(1, 1), log(2, 1)])
    await settle(clock)
    expect(dataCalls()[0]).toContain(`"address":["${address(1)}"]`)
    fanOut.logs(all, sink())
    chain.grow([log(1, 1), log(2, 1)])
    await settle(clock)
    expect(dataCalls()[1]).not.toContain('address')
    expect(one.events).toHaveLength(2)
  })

  test('tells receipts as one array a block, all or of some transactions, and takes the logs from them', async () => {
    const { clock, chain, fanOut, dataCalls } = scene()
    const [every, some, none, logs] = [sink(), sink(), sink(), sink()]
    const contents = [log(1, 1), log(2, 1), log(3, 1)]
    // Another chain of the same history tells the hashes beforehand.
    const [, second] = receiptObjects(createSimChain(height).grow(contents)) as { transactionHash: string }[]
    fanOut.transactionReceipts(undefined, every)
    fanOut.transactionReceipts(new Set([second!.transactionHash]), some)
    fanOut.transactionReceipts(new Set([word(1)]), none)
    fanOut.logs(all, logs)
    await settle(clock)
    const block = chain.grow(contents)
    await settle(clock)
    expect(dataCalls()).toEqual([`eth_getBlockReceipts ["${block.hash}"]`])
    expect(every.events.map((event) => event.value())).toEqual([receiptObjects(block)])
    expect(some.events.map((event) => event.value())).toEqual([[second]])
    expect(none.events).toEqual([])
    expect(logs.events).toHaveLength(3)
  })

  test('a sink that joins while a block is read is told from the next one on', async () => {
    const { clock, chain, fanOut } = scene({ delayMs: () => 100 })
    const [first, second] = [sink(), sink()]
    fanOut.logs(all, first)
    await settle(clock, 200)
    chain.grow([log(1, 1)])
    await settle(clock)
    fanOut.logs(all, second)
    await settle(clock, 200)
    const next = chain.grow([log(1, 1)])
    await settle(clock, 200)
    expect(first.events).toHaveLength(2)
    expect(signs(second)).toEqual([`+${short(next)}:0`])
  })

  test('a sink that leaves is told nothing more, also in the middle of a block', async () => {
    const { clock, chain, fanOut } = scene()
    let leave = (): void => {}
    const one = sink(() => leave())
    leave = fanOut.logs(all, one)
    await settle(clock)
    chain.grow([log(1, 1), log(1, 1)])
    await settle(clock)
    expect(one.events).toHaveLength(1)
    expect(one.ends).toEqual([])
    expect([fanOut.size, chain.watchers, clock.timers]).toEqual([0, 0, 0])
  })
})

describe('reorgs', () => {
  test('tells removed logs again, newest first, to those who were told them', async () => {
    const { clock, chain, fanOut, dataCalls } = scene()
    const [first, second] = [sink(), sink()]
    fanOut.logs(all, first)
    await settle(clock)
    const one = chain.grow([log(1, 1), log(2, 1)])
    await settle(clock)
    fanOut.logs(all, second)
    const two = chain.grow([log(1, 1), log(2, 2)])
    await settle(clock)
    const asked = dataCalls().length
    chain.reorg(2, 0)
    await settle(clock)
    const [a, b] = [short(one), short(two)]
    const added = [`+${a}:0`, `+${a}:1`, `+${b}:0`, `+${b}:1`]
    expect(signs(first)).toEqual([...added, `-${b}:1`, `-${b}:0`, `-${a}:1`, `-${a}:0`])
    expect(signs(second)).toEqual([`+${b}:0`, `+${b}:1`, `-${b}:1`, `-${b}:0`])
    expect(dataCalls()).toHaveLength(asked)
    expect(first.events[4]).toBe(second.events[2])
  })

  test('reads removed logs again where they are no longer kept', async () => {
    const { clock, chain, fanOut } = scene({ maxKeptBlocks: 1 })
    const one = sink()
    fanOut.logs(all, one)
    await settle(clock)
    for (let i = 0; i < 3; i++) chain.grow([log(1, 1)])
    await settle(clock)
    chain.reorg(3, 0)
    await settle(clock)
    expect(logEvents(one).map(({ removed }) => removed)).toEqual([false, false, false, true, true, true])
  })

  test('a block that is replaced before its logs are here is not told at all', async () => {
    const { clock, chain, fanOut, node } = scene({ fault: (method) => (method === 'eth_getLogs' ? 'hang' : undefined) })
    const one = sink()
    fanOut.logs(all, one)
    await settle(clock)
    chain.grow([log(1, 1)])
    await settle(clock)
    expect(node.open()).toBe(1)
    chain.reorg(1, 0)
    await settle(clock)
    expect(node.open()).toBe(0)
    expect(one.events).toEqual([])
    expect(one.ends).toEqual([])
  })
})

describe('ends', () => {
  const isEnded = (one: Reported, message: RegExp): void => {
    expect(one.ends).toHaveLength(1)
    expect(one.ends[0]!.message).toMatch(message)
    // The reason of a WebSocket's close frame holds 123 bytes. Source: RFC 6455, 5.5.
    expect(one.ends[0]!.message.length).toBeLessThanOrEqual(123)
  }

  test('a block whose logs cannot be had ends those who wait for it, and says from where to resume', async () => {
    let isDown = false
    const { clock, chain, fanOut } = scene({
      fault: (method) => (isDown && !method.includes('Hash') ? 'error' : undefined),
    })
    const [heads, logs, other] = [sink(), sink(), sink()]
    fanOut.newHeads(heads)
    fanOut.logs(all, logs)
    await settle(clock)
    const reported = chain.grow([log(1, 1)])
    await settle(clock)
    isDown = true
    chain.grow([log(1, 1)])
    await settle(clock, 10_000, 500)
    fanOut.logs(all, other)
    await settle(clock, 31_000, 500)
    isEnded(logs, new RegExp(`^no node has the logs; resume from block ${reported.number} \\(${reported.hash}\\)$`))
    expect(logs.events).toHaveLength(1)
    expect(heads.ends).toEqual([])
    expect(heads.events).toHaveLength(2)
    isDown = false
    chain.grow([log(1, 1)])
    await settle(clock)
    expect(other.ends).toEqual([])
    expect(other.events).toHaveLength(1)
  })

  test('a chain that cannot be followed ends all, and can be joined anew', async () => {
    const { clock, chain, fanOut } = scene()
    const sinks = [sink(), sink(), sink()]
    fanOut.newHeads(sinks[0]!)
    fanOut.logs(all, sinks[1]!)
    fanOut.transactionReceipts(undefined, sinks[2]!)
    await settle(clock)
    for (let i = 0; i < 130; i++) chain.grow()
    await settle(clock)
    const { number, hash } = chain.head
    chain.reorg(129)
    await settle(clock)
    for (const one of sinks) isEnded(one, new RegExp(`; resume from block ${number} \\(${hash}\\)$`))
    expect([fanOut.size, chain.watchers, clock.timers]).toEqual([0, 0, 0])
    const again = sink()
    fanOut.newHeads(again)
    await settle(clock)
    chain.grow()
    await settle(clock)
    expect(again.events).toHaveLength(1)
  })

  test('more blocks than may wait end those who wait for them', async () => {
    const { clock, chain, fanOut } = scene({
      maxQueued: 3,
      fault: (method) => (method === 'eth_getLogs' ? 'hang' : undefined),
    })
    const one = sink()
    fanOut.logs(all, one)
    await settle(clock)
    const { number, hash } = chain.head
    for (let i = 0; i < 4; i++) {
      chain.grow([log(1, 1)])
      await settle(clock)
    }
    isEnded(one, new RegExp(`^blocks are read too late; resume from block ${number} \\(${hash}\\)$`))
    expect(clock.timers).toBe(0)
  })

  test('close ends all with its reason', async () => {
    const { clock, fanOut } = scene()
    const [heads, logs] = [sink(), sink()]
    fanOut.newHeads(heads)
    fanOut.logs(all, logs)
    const why = new RpcError('aborted', 'the gateway stops')
    fanOut.close(why)
    await settle(clock)
    expect([heads.ends, logs.ends]).toEqual([[why], [why]])
    expect([fanOut.size, clock.timers]).toEqual([0, 0])
  })

  test('a sink that joins a closed stream, or one filter too many, leaves nothing behind', () => {
    const { stream, fanOut } = scene()
    stream.close()
    expect(() => fanOut.newHeads(sink())).toThrow('closed')
    expect(fanOut.size).toBe(0)
  })
})

describe('whatever chain and nodes do', () => {
  const value = fc.integer({ min: 1, max: 3 })
  const logs = fc.array(
    fc.record({ contract: value, kind: value }).map(({ contract, kind }) => log(contract, kind)),
    { maxLength: 4 },
  )
  const filter = fc.constantFrom<object>(
    {},
    { address: address(1) },
    { topics: [word(2)] },
    { address: [address(1), address(2)], topics: [[word(1), word(3)]] },
  )
  const step = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('grow' as const),
        logs,
        reported: fc.constantFrom('bare', 'block', 'silent'),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('reorg' as const),
        depth: fc.integer({ min: 1, max: 64 }),
        longer: fc.integer({ min: 0, max: 2 }),
        logs,
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('join' as const), filter }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), which: fc.nat(20) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 2_000 }) }) },
  )
  const faults = fc.array(
    fc.constantFrom<Fault[]>(undefined, undefined, 'null', 'error', 'reject', 'garbage', 'empty'),
    { maxLength: 12 },
  )

  test("each sink's events fold to the canonical set: no gap, no duplicate, in order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), faults, fc.boolean(), async (steps, queue, isForgetful) => {
        const { clock, chain, node, stream, fanOut } = scene({
          fault: () => queue.shift(),
          delayMs: () => 5,
          maxKeptBlocks: isForgetful ? 3 : 128,
        })
        for (let i = 0; i < 70; i++) chain.grow([log(1, 2)])
        const subscribers: Subscriber[] = []
        const join = (of: object): void => void subscribers.push(subscribe(fanOut, stream, of))
        join({})
        for (const action of steps) {
          if (action.kind === 'grow') chain.grow(action.logs, action.reported as 'bare')
          else if (action.kind === 'reorg')
            chain.reorg(Math.min(action.depth, chain.canonical().length - 1), action.longer, (i) =>
              i % 8 === 0 ? action.logs : [],
            )
          else if (action.kind === 'join') join(action.filter)
          else if (action.kind === 'leave') subscribers[action.which]?.leave()
          else await settle(clock, action.ms, 250)
        }
        chain.grow([log(1, 2), log(2, 1)])
        await drain(clock)
        const canonical = new Set(chain.canonical().map(({ hash }) => hash))
        for (const { criteria, heads, logs: reported, receipts, chain: list, isGone } of subscribers) {
          expect([heads.ends, reported.ends, receipts.ends]).toEqual([[], [], []])
          const folded = foldLogs(logEvents(reported))
          const blocks = list.added.map((hash) => chain.at(hash)!)
          // The heads are the added blocks, each a child of one before.
          expect(heads.events.map((event) => (event.value() as { hash: string }).hash)).toEqual(list.added)
          const arrays = receipts.events.map((event) => (event.value() as { blockHash: string }[])[0]!.blockHash)
          expect(isSubsequence(arrays, list.added)).toBe(true)
          if (isGone()) continue
          const end = list.blocks.map(({ hash }) => chain.at(hash)!)
          expect(end.every(({ hash }) => canonical.has(hash))).toBe(true)
          expect(folded).toEqual(end.flatMap((block) => keysOf(block, criteria)))
          expect(
            isSubsequence(
              end.filter((block) => block.logs.length > 0).map(({ hash }) => hash),
              arrays,
            ),
          ).toBe(true)
          expect(blocks.length).toBeGreaterThan(0)
        }
        for (const { leave } of subscribers) leave()
        await settle(clock)
        expect([fanOut.size, chain.watchers, clock.timers, node.open()]).toEqual([0, 0, 0, 0])
      }),
      { numRuns: 80 },
    )
  })

  interface Subscriber {
    readonly criteria: LogCriteria
    readonly heads: Reported
    readonly logs: Reported
    readonly receipts: Reported
    /** The chain as its stream told it from the same moment on. */
    readonly chain: { readonly blocks: StreamBlock[]; readonly added: string[] }
    readonly isGone: () => boolean
    readonly leave: () => void
  }

  function subscribe(
    fanOut: ReturnType<typeof createFanOut>,
    stream: ReturnType<typeof createChainStream>,
    of: object,
  ): Subscriber {
    const criteria = logCriteriaOf(of)
    const reported = { heads: sink(), logs: sink(), receipts: sink() }
    const chain = { blocks: [] as StreamBlock[], added: [] as string[] }
    const leaves = [
      fanOut.newHeads(reported.heads),
      fanOut.logs(criteria, reported.logs),
      fanOut.transactionReceipts(undefined, reported.receipts),
      stream.watch({
        update({ kind, block }) {
          if (kind === 'removed') return void chain.blocks.pop()
          chain.blocks.push(block)
          chain.added.push(block.hash)
        },
        lost: () => expect.unreachable(),
      }),
    ]
    let isGone = false
    return {
      criteria,
      ...reported,
      chain,
      isGone: () => isGone,
      leave() {
        isGone = true
        for (const leave of leaves) leave()
      },
    }
  }

  /** Each removed log must be the last one that is left. */
  function foldLogs(events: readonly LogEvent[]): string[] {
    const left: string[] = []
    for (const { removed, blockHash, logIndex } of events) {
      const key = `${blockHash}:${logIndex}`
      if (removed) expect(left.pop()).toBe(key)
      else {
        expect(left).not.toContain(key)
        left.push(key)
      }
    }
    return left
  }

  function keysOf(block: SimBlock, criteria: LogCriteria): string[] {
    return block.logs.flatMap((one: SimLog, i) =>
      matchesLog(one, criteria) ? [`${block.hash}:0x${i.toString(16)}`] : [],
    )
  }

  function isSubsequence(part: readonly string[], whole: readonly string[]): boolean {
    let at = 0
    for (const one of whole) if (one === part[at]) at++
    return at === part.length
  }
})
