import { createContext, type RawJson, RpcError, type RpcHandler, type RpcSink } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import {
  createBlockLogs,
  createChainStream,
  createFanOut,
  createResume,
  getLogs,
  logCriteriaOf,
  type ResumeFrom,
  type ResumeOptions,
} from '@wayleave/evm-events'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { address, createSimChain, log, logObjects, type SimBlock, type SimChain } from './support/sim-chain.ts'
import { createSimNode, type Fault, settle, until } from './support/sim-node.ts'

interface ReportedLog {
  readonly address: string
  readonly blockHash: string
  readonly removed: boolean
}

const mine = logCriteriaOf({ address: address(1) })

function scene(
  options: Partial<Pick<ResumeOptions, 'maxBlocks' | 'maxBuffered' | 'maxReorg'>> & {
    fault?: (method: string, params: string) => Fault
    delayMs?: () => number
    ask?: (node: RpcHandler) => RpcHandler
  } = {},
) {
  const clock = new FakeClock()
  const chain = createSimChain(1_000)
  let salt = 0
  const some = () => [log(1, ++salt), log(2, salt), log(1, salt + 1)]
  const growBy = (count: number): void => {
    for (let n = 0; n < count; n++) chain.grow(some())
  }
  growBy(100)
  const node = createSimNode(chain, clock, options.fault, options.delayMs)
  const headOf = () => chain.head
  const stream = createChainStream({ source: chain, ask: node.ask, clock })
  const blockLogs = createBlockLogs({ ask: node.ask, clock })
  const fanOut = createFanOut({ stream, blockLogs, clock })
  const ask: RpcHandler =
    options.ask?.(node.ask) ?? getLogs({ clock, headOf, maxReorg: options.maxReorg ?? 128 })(node.ask)
  const resume = createResume({ stream, fanOut, blockLogs, headOf, clock, ...options, ask })
  async function find(from: ResumeFrom, tenant?: string) {
    const context = createContext({ clock, tenant })
    return until(clock, resume.find(from, context)).finally(() => context.release())
  }
  const logsUpTo = (number: number): ReportedLog[] =>
    chain
      .canonical()
      .filter((block) => block.number <= number)
      .flatMap(logObjects)
      .filter((one) => (one as ReportedLog).address === address(1)) as ReportedLog[]
  const reorg = (depth: number): void => chain.reorg(depth, 1, some)
  return { clock, chain, node, stream, fanOut, resume, find, logsUpTo, growBy, reorg }
}

/** A sink that gives each result to `take`. */
function sinkOf(take: (value: never) => void): RpcSink & { readonly ended: RpcError[] } {
  const ended: RpcError[] = []
  return {
    ended,
    event(_, result: RawJson) {
      expect(ended.length).toBe(0)
      take(result.value() as never)
      return true
    },
    gap() {},
    end: (why) => void ended.push(why!),
  }
}

/** A caller's list of logs, which only grows or shrinks at its end. */
function logList(list: ReportedLog[] = []) {
  const sink = sinkOf((one: ReportedLog) => {
    if (one.removed) expect(list.pop()).toEqual({ ...one, removed: false })
    else list.push(one)
  })
  return { list, sink }
}

/** Asserts at each place that is told that the list has all logs up to it, and none after it. */
function checkReached(chain: SimChain, { list, sink }: ReturnType<typeof logList>): string[] {
  const places: string[] = []
  sink.reached = ({ hash = '' }) => {
    const whole: SimBlock[] = []
    for (let at = chain.at(hash); at !== undefined; at = chain.at(at.parentHash)) whole.unshift(at)
    const logs = whole.flatMap(logObjects) as ReportedLog[]
    // As text: thousands of places of hundreds of logs each.
    expect(JSON.stringify(list)).toBe(JSON.stringify(logs.filter((one) => one.address === address(1))))
    places.push(hash)
  }
  return places
}

function headList(list: string[]) {
  const sink = sinkOf(({ hash, parentHash }: SimBlock) => {
    expect(list).not.toContain(hash)
    const at = list.indexOf(parentHash)
    expect(at).toBeGreaterThanOrEqual(0)
    list.splice(at + 1, list.length, hash)
  })
  return { list, sink }
}

describe('logs', () => {
  test('tells the past from a block, then what is live', async () => {
    const { clock, growBy, find, resume, logsUpTo } = scene()
    const { list, sink } = logList(logsUpTo(1_049))
    resume.logs(mine, await find({ fromBlock: 1_050 }), sink)
    await settle(clock, 500)
    expect(list).toEqual(logsUpTo(1_100))
    growBy(3)
    await settle(clock, 500)
    expect(list).toEqual(logsUpTo(1_103))
  })

  test('takes back the logs of blocks that were replaced meanwhile, after the last one told', async () => {
    const { clock, chain, reorg, find, resume, logsUpTo } = scene()
    const { list, sink } = logList(logsUpTo(1_100))
    const { hash } = chain.head
    reorg(7)
    resume.logs(mine, await find({ fromHash: hash }), sink)
    await settle(clock, 500)
    expect(list).toEqual(logsUpTo(1_101))
  })

  test('takes back what was told of the past, to the one who was told', async () => {
    const { clock, fanOut, reorg, find, resume, logsUpTo } = scene()
    const other: unknown[] = []
    fanOut.logs(
      mine,
      sinkOf((one) => other.push(one)),
    )
    const { list, sink } = logList(logsUpTo(1_089))
    resume.logs(mine, await find({ fromBlock: 1_090 }), sink)
    await settle(clock, 500)
    reorg(5)
    await settle(clock, 500)
    reorg(8)
    await settle(clock, 500)
    expect(list).toEqual(logsUpTo(1_102))
    // Blocks 1,096 to 1,101, taken back but for the three that were there before, and again.
    expect(other.some((one) => (one as ReportedLog).removed)).toBe(true)
  })

  test('tells no place before it has taken back what is to be taken back', async () => {
    const { clock, chain, reorg, find, resume, logsUpTo } = scene()
    const logs = logList(logsUpTo(1_100))
    const { hash } = chain.head
    reorg(2)
    const places = checkReached(chain, logs)
    resume.logs(mine, await find({ fromHash: hash }), logs.sink)
    await settle(clock, 500)
    expect(places[0]).toBe(chain.at(hash)!.parentHash)
    expect(places.at(-1)).toBe(chain.head.hash)
  })

  test('leaves, and asks nothing more', async () => {
    const { clock, chain, node, find, resume } = scene({ delayMs: () => 100 })
    const { list, sink } = logList()
    const leave = resume.logs(mine, await find({ fromBlock: 1_001 }), sink)
    await settle(clock, 150)
    leave()
    await settle(clock, 5_000)
    expect([list, sink.ended]).toEqual([[], []])
    expect(chain.watchers).toBe(0)
    expect([node.open(), clock.timers]).toEqual([0, 0])
  })

  test('ends with the place from which to resume where the past cannot be had', async () => {
    let isDown = false
    const { clock, chain, find, resume } = scene({
      maxReorg: 20,
      fault: (method) => (isDown && method === 'eth_getLogs' ? 'reject' : undefined),
    })
    const { sink } = logList()
    const point = await find({ fromBlock: 1_001 })
    isDown = true
    resume.logs(mine, point, sink)
    await settle(clock, 10_000)
    expect(sink.ended.map(({ message }) => message)).toEqual([
      `the past cannot be read; resume from block 1000 (${chain.canonical()[0]!.hash})`,
    ])
    expect(chain.watchers).toBe(0)
  })

  test('ends where too much comes meanwhile', async () => {
    const { clock, growBy, find, resume } = scene({
      maxBuffered: 3,
      fault: (_, params) => (params.includes('0x3e9') ? 'hang' : undefined),
      maxReorg: 20,
    })
    const { sink } = logList()
    resume.logs(mine, await find({ fromBlock: 1_001 }), sink)
    await settle(clock, 500)
    growBy(3)
    await settle(clock, 500)
    expect(sink.ended).toMatchObject([{ code: 'overloaded' }])
  })
})

/** A sink that takes so many bytes until its reader has read them, and notes how many it was told at once. */
function slowSink(sink: RpcSink, room: number) {
  const reported = { most: 0, events: 0, reads: 0 }
  let [unread, atOnce, isTurn] = [0, 0, false]
  let hasRoom: (() => void) | undefined
  const own: RpcSink = {
    ...sink,
    event(name, result) {
      if (!isTurn) {
        isTurn = true
        setImmediate(() => ([isTurn, atOnce] = [false, 0]))
      }
      reported.events++
      unread += result.byteLength
      atOnce += result.byteLength
      reported.most = Math.max(reported.most, atOnce)
      sink.event(name, result)
      return unread < room
    },
    reached: (at) => sink.reached?.(at),
    drained: () => (unread < room ? undefined : new Promise<void>((resolve) => (hasRoom = resolve))),
  }
  const read = (): void => {
    reported.reads++
    unread = 0
    hasRoom?.()
    hasRoom = undefined
  }
  return { own, reported, read }
}

describe('a busy past', () => {
  const busy = (count: number) => {
    const made = scene({ maxReorg: 10 })
    for (let i = 0; i < count; i++) made.chain.grow(Array.from({ length: 12 }, (_, k) => log(1, k, i)))
    return made
  }

  test('of 1,000 blocks is told in turns of about a MiB', async () => {
    const { clock, find, resume, logsUpTo, growBy } = busy(1_000)
    const { list, sink } = logList()
    const { own, reported, read } = slowSink(sink, Number.POSITIVE_INFINITY)
    resume.logs(mine, await find({ fromBlock: 1_001 }), own)
    await settle(clock, 100)
    growBy(2)
    for (let i = 0; i < 20; i++) {
      await settle(clock, 50)
      read()
    }
    expect(list).toEqual(logsUpTo(2_102))
    expect(reported.most).toBeGreaterThan(500_000)
    expect(reported.most).toBeLessThan(1_100_000)
  })

  test('waits, with what comes meanwhile, for a reader that has no room', async () => {
    const { clock, chain, find, resume, logsUpTo, growBy } = busy(60)
    const logs = logList()
    const places = checkReached(chain, logs)
    const { own, reported, read } = slowSink(logs.sink, 10_000)
    resume.logs(mine, await find({ fromBlock: 1_001 }), own)
    await settle(clock, 1_000)
    const { events } = reported
    await settle(clock, 10_000)
    expect(reported.events).toBe(events)
    growBy(2)
    for (let i = 0; i < 1_000 && logs.list.length < logsUpTo(1_162).length; i++) {
      read()
      await settle(clock, 10, 10)
    }
    expect(logs.list).toEqual(logsUpTo(1_162))
    expect(reported.reads).toBeGreaterThan(30)
    expect(places.at(-1)).toBe(chain.head.hash)
  })

  test('ends with the place of a reader that reads no more, after a whole block', async () => {
    const { clock, find, resume, logsUpTo } = busy(100)
    const { list, sink } = logList()
    const { own, read } = slowSink(sink, 5_000)
    resume.logs(mine, await find({ fromBlock: 1_001 }), own)
    await settle(clock, 500)
    for (let i = 0; i < 5; i++) {
      read()
      await settle(clock, 50)
    }
    expect(sink.ended).toEqual([])
    await settle(clock, 31_000, 500)
    const [, reported] = /^the events are not read fast enough; resume from block (\d+) \(0x/.exec(
      sink.ended[0]!.message,
    )!
    expect(Number(reported)).toBeGreaterThan(1_001)
    expect(list).toEqual(logsUpTo(Number(reported)))
  })

  test.each([
    ['refuses long ranges', { error: { code: -32000, message: 'eth_getLogs is limited to a 7 range' } }],
    ['gives no long answers', new RpcError('too_large', 'the answer is too long')],
  ])('is asked for in fewer blocks where a node %s', async (_, refusal) => {
    const counts: number[] = []
    const { clock, find, resume, logsUpTo } = scene({
      maxReorg: 20,
      ask: (node) => async (request, context) => {
        const [{ fromBlock, toBlock }] = (request.params?.value() ?? [{}]) as [{ fromBlock?: string; toBlock?: string }]
        if (request.method === 'eth_getLogs' && fromBlock !== undefined) {
          counts.push(Number(toBlock) - Number(fromBlock) + 1)
          if (counts.at(-1)! > 7) {
            if (refusal instanceof RpcError) throw refusal
            return refusal
          }
        }
        return node(request, context)
      },
    })
    const { list, sink } = logList()
    resume.logs(mine, await find({ fromBlock: 1_001 }), sink)
    await settle(clock, 2_000)
    expect(list).toEqual(logsUpTo(1_100))
    expect(counts[0]).toBe(16)
  })
})

describe('many at once', () => {
  test('ask for the same headers once, and few questions at a time', async () => {
    let most = 0
    const { clock, chain, node, resume, find, growBy } = scene({
      delayMs: () => {
        most = Math.max(most, node.open())
        return 10
      },
    })
    growBy(200)
    const lists: string[][] = []
    const hashes = chain.canonical().map(({ hash }) => hash)
    for (let i = 0; i < 100; i++) {
      const list: string[] = []
      lists.push(list)
      const sink = sinkOf(({ hash }: SimBlock) => list.push(hash))
      resume.newHeads(await find({ fromBlock: 1_001 }), sink)
    }
    await settle(clock, 5_000, 10)
    for (const list of lists) expect(list).toEqual(hashes.slice(1))
    expect(most).toBeLessThanOrEqual(16)
    expect(node.asked.length).toBeLessThan(400)
  })

  test('have their turns by tenant, in their own tenants, and one more than waits is refused', async () => {
    const tenants: (string | undefined)[] = []
    const { clock, resume, find } = scene({
      ask: (node) => async (request, context) => {
        if (request.method === 'eth_getLogs') {
          tenants.push(context.tenant)
          await new Promise<void>((resolve) => clock.after(1_000, resolve))
        }
        return node(request, context)
      },
      maxReorg: 20,
    })
    const many = await find({ fromBlock: 1_001 }, 'many')
    const few = await find({ fromBlock: 1_001 }, 'few')
    const leaves = Array.from({ length: 600 }, () => resume.logs(mine, many, logList().sink))
    await settle(clock, 100)
    leaves.push(resume.logs(mine, few, logList().sink))
    await settle(clock, 100)
    await expect(find({ fromBlock: 1_002 }, 'many')).rejects.toMatchObject({ rpc: { code: -32005 } })
    await settle(clock, 1_000)
    expect(tenants.slice(0, 16)).toEqual(Array.from({ length: 16 }, () => 'many'))
    expect(tenants.slice(16, 19)).toContain('few')
    for (const leave of leaves) leave()
    await settle(clock, 20_000, 500)
    expect(clock.timers).toBe(0)
  })
})

describe('ends', () => {
  test('come to those first who were told least', async () => {
    const { clock, chain, fanOut, stream, find, resume } = scene({
      maxReorg: 20,
      fault: (_, params) => (params.includes('0x3e9') ? 'hang' : undefined),
    })
    const ended: string[] = []
    const sink = (name: string): RpcSink => ({
      event: () => true,
      gap() {},
      end: (why) => void ended.push(`${name}: ${why!.reason!.slice(0, 22)}`),
    })
    fanOut.newHeads(sink('heads'))
    fanOut.logs(mine, sink('logs'))
    await settle(clock, 100)
    resume.logs(mine, await find({ fromBlock: 1_001 }), sink('past'))
    await settle(clock, 100)
    expect(stream.head?.number).toBe(1_100)
    // So far ahead that nobody fills it in.
    chain.report({ ...chain.head, number: 5_000, hash: `0x${'7'.repeat(64)}` })
    await settle(clock, 1_000)
    expect(ended).toEqual([
      'past: resume from block 1000',
      'logs: resume from block 1100',
      'heads: resume from block 1100',
    ])
  })
})

describe('heads', () => {
  test('that were told are not told again by a stream that has not left what is replaced', async () => {
    let held: readonly string[] = []
    const { clock, chain, fanOut, reorg, find, resume } = scene({
      fault: (_, params) => (held.some((hash) => params.includes(hash)) ? 'reject' : undefined),
    })
    const reported = (): string[] => chain.canonical().map((block) => block.hash)
    const { list: others, sink: other } = headList(reported())
    fanOut.newHeads(other)
    await settle(clock, 500)
    const { list, sink } = headList(reported())
    const { hash } = chain.head
    reorg(7)
    // The stream stays behind: nobody gives it the new blocks, but for the last one.
    held = reported().slice(-4, -1)
    resume.newHeads(await find({ fromHash: hash }), sink)
    await settle(clock, 500)
    held = []
    await settle(clock, 20_000, 100)
    expect([list, others]).toEqual([reported(), reported()])
  })
})

describe('places', () => {
  test.each([
    [{ fromBlock: 1_050 }, -32602, 'expected at most 40 blocks back from the head, 1100, got 51'],
    [{ fromBlock: 1_102 }, -32000, 'block 1102 is above the head, 1100: try again when it is there'],
    [
      { fromHash: `0x${'9'.repeat(64)}` },
      -32000,
      `no node has block 0x${'9'.repeat(64)}: resume by fromBlock, some blocks before it`,
    ],
    [{}, -32602, 'expected either fromBlock or fromHash'],
    [{ fromBlock: 1, fromHash: '0x' }, -32602, 'expected either fromBlock or fromHash'],
  ])('refuses %j', async (from, code, message) => {
    await expect(scene({ maxBlocks: 40 }).find(from)).rejects.toMatchObject({ rpc: { code, message } })
  })

  test('refuses a block that was replaced with more blocks than are taken back', async () => {
    const { chain, reorg, find } = scene({ maxReorg: 10 })
    const { hash } = chain.head
    reorg(11)
    await expect(find({ fromHash: hash })).rejects.toMatchObject({ rpc: { code: -32000 } })
    await expect(find({ fromBlock: 1_101 })).resolves.toMatchObject({ removed: [] })
  })
})

const step = fc.oneof(
  fc.record({ kind: fc.constant('grow' as const), count: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ kind: fc.constant('reorg' as const), count: fc.integer({ min: 1, max: 64 }) }),
  fc.record({ kind: fc.constant('wait' as const), count: fc.integer({ min: 1, max: 30 }) }),
)
const plan = fc.record({
  before: fc.array(step, { maxLength: 4 }),
  after: fc.array(step, { maxLength: 8 }),
  maxReorg: fc.constantFrom(70, 128),
  delays: fc.array(fc.nat(60), { minLength: 1, maxLength: 10 }),
  faults: fc.array(fc.constantFrom<Fault>(undefined, undefined, undefined, undefined, 'reject', 'null'), {
    minLength: 1,
    maxLength: 20,
  }),
  isByHash: fc.boolean(),
})

describe('without gap or duplicate, whatever is replaced meanwhile', () => {
  const run = async ({
    before,
    after,
    maxReorg,
    delays,
    faults,
    isByHash,
  }: typeof plan extends fc.Arbitrary<infer T> ? T : never) => {
    let [asked, isFaulty] = [0, false]
    const made = scene({
      maxReorg,
      delayMs: () => delays[asked % delays.length]!,
      fault: () => (isFaulty ? faults[asked++ % faults.length] : undefined),
    })
    const { clock, chain, find, resume, logsUpTo, growBy, reorg } = made
    const { hash } = chain.head
    const logs = logList(isByHash ? logsUpTo(1_100) : [])
    const places = checkReached(chain, logs)
    const heads = headList(
      chain
        .canonical()
        .slice(0, isByHash ? 101 : 1)
        .map((block) => block.hash),
    )
    const play = async (steps: typeof before): Promise<void> => {
      for (const { kind, count } of steps) {
        if (kind === 'grow') growBy(count)
        else if (kind === 'reorg') reorg(count)
        else await settle(clock, 10 * count, 10)
      }
    }
    await play(before)
    const point = await find(isByHash ? { fromHash: hash } : { fromBlock: 1_001 })
    isFaulty = true
    resume.logs(mine, point, logs.sink)
    resume.newHeads(point, heads.sink)
    await play(after)
    isFaulty = false
    await settle(clock, 30_000, 100)
    return { ...made, logs, heads, places }
  }

  test('each is the canonical chain, or ends with a place', async () => {
    let whole = 0
    await fc.assert(
      fc.asyncProperty(plan, async (one) => {
        const { chain, logs, heads, logsUpTo, places } = await run(one)
        for (const { sink } of [logs, heads]) {
          for (const { message } of sink.ended) expect(message).toMatch(/; resume from block \d+ \(0x[\da-f]{64}\)$/)
        }
        if (logs.sink.ended.length === 0) {
          whole++
          expect(logs.list).toEqual(logsUpTo(chain.head.number))
          expect(places.at(-1)).toBe(chain.head.hash)
        }
        if (heads.sink.ended.length === 0) expect(heads.list).toEqual(chain.canonical().map(({ hash }) => hash))
      }),
      { numRuns: 40 },
    )
    expect(whole).toBeGreaterThan(20)
  })
})
