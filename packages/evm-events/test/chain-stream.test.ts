import type { RpcError } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { type ChainStream, type ChainStreamOptions, createChainStream, type StreamBlock } from '@wayleave/evm-events'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSimChain, type SimChain } from './support/sim-chain.ts'
import { createSimNode, type Fault, drain, settle } from './support/sim-node.ts'

/** A watcher that keeps the list as it is told, and asserts that it only grows or shrinks at its end. */
function follow(stream: ChainStream): {
  list: StreamBlock[]
  reported: string[]
  lost: RpcError[]
  after: unknown[]
  leave: () => void
} {
  const list: StreamBlock[] = []
  const reported: string[] = []
  const lost: RpcError[] = []
  const after: unknown[] = []
  const leave = stream.watch({
    update({ kind, block }) {
      expect(lost).toEqual([])
      reported.push(`${kind === 'added' ? '+' : '-'}${block.number}`)
      if (kind === 'added') {
        if (list.length > 0) expect(block.parentHash).toBe(list.at(-1)!.hash)
        list.push(block)
      } else if (list.length > 0) expect(list.pop()!.hash).toBe(block.hash)
    },
    lost(last, why) {
      lost.push(why)
      after.push(last)
    },
  })
  return { list, reported, lost, after, leave }
}

function scene(
  options: Partial<ChainStreamOptions> & {
    height?: number
    delayMs?: () => number
    fault?: (method: string, params: string) => Fault
  } = {},
) {
  const clock = new FakeClock()
  const chain = createSimChain(options.height ?? 1_000)
  const node = createSimNode(chain, clock, options.fault, options.delayMs)
  const stream = createChainStream({ source: chain, ask: node.ask, clock, ...options })
  return { clock, chain, node, stream }
}

const hashes = (blocks: readonly { hash: string }[]): string[] => blocks.map(({ hash }) => hash)
const tail = (chain: SimChain, count: number): string[] =>
  hashes(chain.canonical()).slice(chain.canonical().length - count)

describe('following', () => {
  test('tells each new head, printed as geth announces it', async () => {
    const { clock, chain, stream } = scene()
    const { list, reported } = follow(stream)
    await settle(clock)
    const block = chain.grow()
    await settle(clock)
    expect(reported).toEqual(['+1001'])
    const header = list[0]!.header.value() as object
    expect(header).toMatchObject({
      number: '0x3e9',
      hash: block.hash,
      parentHash: block.parentHash,
      logsBloom: block.bloom,
    })
    for (const name of ['size', 'transactions', 'uncles']) expect(header).not.toHaveProperty(name)
    expect(stream.head!.hash).toBe(block.hash)
  })

  test('fills skipped blocks by parent hash, oldest first', async () => {
    const { clock, chain, node, stream } = scene()
    const { reported, list } = follow(stream)
    await settle(clock)
    for (let i = 0; i < 5; i++) chain.grow([], 'silent')
    chain.grow([], 'bare')
    await settle(clock)
    expect(reported).toEqual(['+1001', '+1002', '+1003', '+1004', '+1005', '+1006'])
    expect(hashes(list)).toEqual(tail(chain, 6))
    // The block of the start, and each of the six once.
    expect(node.asked).toHaveLength(7)
  })

  test('tells what came between the join and the first head, also where nothing was told', async () => {
    const { clock, chain, stream } = scene()
    const { reported } = follow(stream)
    chain.grow([], 'silent')
    chain.grow()
    await settle(clock)
    expect(reported).toEqual(['+1001', '+1002'])
  })

  test('asks nothing, and follows nothing, while nobody watches', async () => {
    const { clock, chain, node, stream } = scene()
    chain.grow()
    await settle(clock)
    expect(chain.watchers).toBe(0)
    const { leave } = follow(stream)
    const second = follow(stream)
    expect(chain.watchers).toBe(1)
    await settle(clock)
    leave()
    expect(chain.watchers).toBe(1)
    second.leave()
    expect(chain.watchers).toBe(0)
    const before = node.asked.length
    chain.grow([], 'bare')
    await settle(clock, 1_000)
    expect(node.asked).toHaveLength(before)
    expect(stream.head).toBeUndefined()
    expect(clock.timers).toBe(0)
  })

  test("goes on from the source's head after a rest", async () => {
    const { clock, chain, stream } = scene()
    follow(stream).leave()
    chain.grow()
    const { reported } = follow(stream)
    await settle(clock)
    chain.grow()
    await settle(clock)
    expect(reported).toEqual(['+1002'])
  })

  test('remembers 256 blocks at most', async () => {
    const { clock, chain, stream } = scene()
    follow(stream)
    await settle(clock)
    for (let i = 0; i < 300; i++) chain.grow([], 'silent')
    chain.grow()
    await settle(clock)
    expect(hashes(stream.recent)).toEqual(tail(chain, 256))
  })
})

describe('reorgs', () => {
  test.each([1, 2, 64, 128])('takes away %i blocks newest first, then adds the others oldest first', async (depth) => {
    const { clock, chain, stream } = scene({ height: 100_000 })
    const { list, reported } = follow(stream)
    await settle(clock)
    for (let i = 0; i < depth; i++) chain.grow()
    await settle(clock)
    reported.length = 0
    chain.reorg(depth)
    await settle(clock)
    const removed = Array.from({ length: depth }, (_, i) => `-${100_000 + depth - i}`)
    const added = Array.from({ length: depth + 1 }, (_, i) => `+${100_001 + i}`)
    expect(reported).toEqual([...removed, ...added])
    expect(hashes(list)).toEqual(tail(chain, depth + 1))
  })

  test('reaches below the block at which it began', async () => {
    const { clock, chain, stream } = scene()
    for (let i = 0; i < 70; i++) chain.grow()
    const { reported } = follow(stream)
    await settle(clock)
    chain.reorg(64)
    await settle(clock)
    expect(reported.slice(0, 2)).toEqual(['-1070', '-1069'])
    expect(reported).toHaveLength(64 + 65)
  })

  test('reads both forks of a deep one side by side, each question after its parent', async () => {
    const { clock, chain, stream } = scene({ delayMs: () => 100 })
    for (let i = 0; i < 70; i++) chain.grow()
    const { reported } = follow(stream)
    await settle(clock, 1_000)
    chain.reorg(64)
    await settle(clock, 64 * 100)
    expect(reported).toEqual([])
    await settle(clock, 200)
    expect(reported).toHaveLength(64 + 65)
  })

  test('a shorter fork is a reorg; a lower block of the same chain is not', async () => {
    const { clock, chain, stream } = scene()
    const { reported } = follow(stream)
    await settle(clock)
    const first = chain.grow()
    chain.grow()
    await settle(clock)
    chain.report(first)
    await settle(clock)
    expect(reported).toEqual(['+1001', '+1002'])
    expect(stream.head!.number).toBe(1_002)
    chain.reorg(2, -1)
    await settle(clock)
    expect(reported).toEqual(['+1001', '+1002', '-1002', '-1001', '+1001'])
  })

  test('a deeper one is lost, with the last told block', async () => {
    const { clock, chain, stream } = scene()
    const { lost, after } = follow(stream)
    await settle(clock)
    for (let i = 0; i < 130; i++) chain.grow()
    await settle(clock)
    const last = chain.head.hash
    chain.reorg(129)
    await settle(clock)
    expect(lost[0]).toMatchObject({ code: 'unavailable', message: 'reorg deeper than 128' })
    expect(after).toMatchObject([{ hash: last }])
    expect(chain.watchers).toBe(0)
    const next = follow(stream)
    await settle(clock)
    chain.grow()
    await settle(clock)
    expect(next.reported).toHaveLength(1)
  })

  test('a head further back than a reorg may reach is the end at once', async () => {
    const { clock, chain, stream } = scene()
    for (let i = 0; i < 150; i++) chain.grow()
    const { lost } = follow(stream)
    await settle(clock)
    chain.reorg(149, -140)
    await settle(clock)
    expect(lost).toMatchObject([{ code: 'unavailable', message: 'the chain went back by more than 128 blocks' }])
    const next = follow(stream)
    await settle(clock)
    chain.grow()
    await settle(clock)
    expect(next.reported).toEqual([`+${chain.head.number}`])
  })

  test.each([
    { lower: 5, waitMs: 600, endMs: 900 },
    { lower: 45, waitMs: 0, endMs: 100 },
  ])(
    'blocks of the chain that no node has any more are its end, $lower blocks below it: far below at the second answer',
    async ({ lower, waitMs, endMs }) => {
      const gone = new Set<string>()
      const { clock, chain, stream } = scene({
        fault: (_, params) => ([...gone].some((hash) => params.includes(hash)) ? 'null' : undefined),
      })
      for (let i = 0; i < 60; i++) chain.grow()
      const { lost } = follow(stream)
      await settle(clock)
      const old = chain.canonical().slice(-55)
      for (const { hash } of old) gone.add(hash)
      chain.reorg(50, -lower)
      await settle(clock, waitMs)
      chain.grow()
      expect(lost).toEqual([])
      await settle(clock, endMs)
      expect(lost).toMatchObject([{ code: 'unavailable', message: 'the chain was set back' }])
    },
  )

  test('one who joins as the chain is set back begins at its new head', async () => {
    const gone = new Set([] as string[])
    const { clock, chain, stream } = scene({
      fault: (_, params) => ([...gone].some((hash) => params.includes(hash)) ? 'null' : undefined),
    })
    for (let i = 0; i < 60; i++) chain.grow()
    gone.add(chain.head.hash)
    const { reported, lost } = follow(stream)
    await settle(clock, 500)
    chain.reorg(50, -45)
    await settle(clock, 1_500)
    chain.grow()
    await settle(clock)
    expect([reported, lost]).toEqual([[`+${chain.head.number}`], []])
  })
})

describe('nodes that lack blocks', () => {
  test.each(['null', 'error', 'reject', 'garbage', 'hang'] as const)(
    'asks again after %s, at growing intervals',
    async (fault) => {
      let faults = 0
      const { clock, chain, stream } = scene({ fault: () => (faults-- > 0 ? fault : undefined) })
      const { reported } = follow(stream)
      await settle(clock)
      faults = 2
      chain.grow([], 'bare')
      await settle(clock)
      expect(reported).toEqual([])
      await settle(clock, 29_000, 500)
      expect(reported).toEqual(['+1001'])
      expect(clock.timers).toBe(0)
    },
  )

  test('gives up after its patience', async () => {
    let isGone = false
    const { clock, chain, node, stream } = scene({ patienceMs: 5_000, fault: () => (isGone ? 'null' : undefined) })
    const { reported, lost, after } = follow(stream)
    await settle(clock)
    isGone = true
    chain.grow([], 'bare')
    await settle(clock, 3_000)
    expect(lost).toEqual([])
    await settle(clock, 2_000)
    expect(lost[0]).toMatchObject({ code: 'unavailable', message: 'the next block is missing' })
    expect(after).toMatchObject([{ number: 1_000 }])
    expect(reported).toEqual([])
    expect(node.asked.length).toBeLessThan(12)
    expect(clock.timers).toBe(0)
  })

  test('leaves a block that no node has for a head of another fork', async () => {
    let missing = ''
    const { clock, chain, stream } = scene({ fault: (_, params) => (params.includes(missing) ? 'null' : undefined) })
    missing = 'nothing'
    const { list, reported } = follow(stream)
    await settle(clock)
    missing = chain.grow([], 'silent').hash
    chain.report(chain.head)
    await settle(clock, 1_000)
    expect(reported).toEqual([])
    chain.reorg(1, 1)
    await settle(clock)
    expect(reported).toEqual(['+1001', '+1002'])
    expect(hashes(list)).toEqual(tail(chain, 2))
  })

  test('leaves it at once for a head that came during the last question', async () => {
    let missing = 'nothing'
    const { clock, chain, stream } = scene({
      delayMs: () => 1_000,
      fault: (_, params) => (params.includes(missing) ? 'null' : undefined),
    })
    const { reported } = follow(stream)
    await settle(clock, 1_000)
    missing = chain.grow([], 'silent').hash
    chain.report(chain.head)
    // Asked from 5,500 to 6,500 ms, and then not before 8,100.
    await settle(clock, 6_000)
    chain.reorg(1, 1)
    await settle(clock, 2_900)
    expect(reported).toEqual(['+1001', '+1002'])
  })

  test('an answer begins its patience anew', async () => {
    let missing: string[] = []
    const { clock, chain, stream } = scene({
      fault: (_, params) => (missing.some((hash) => params.includes(hash)) ? 'null' : undefined),
    })
    const { reported, lost } = follow(stream)
    await settle(clock)
    missing = [chain.grow([], 'silent').hash, chain.grow([], 'silent').hash]
    chain.report(chain.head)
    await settle(clock, 20_000)
    missing.pop()
    await settle(clock, 20_000)
    missing.pop()
    await settle(clock, 3_000)
    expect(lost).toEqual([])
    expect(reported).toEqual(['+1001', '+1002'])
  })

  test('more blocks than may be missed are lost', async () => {
    const { clock, chain, stream } = scene({ maxMissed: 10 })
    const { lost } = follow(stream)
    await settle(clock)
    for (let i = 0; i < 10; i++) chain.grow([], 'silent')
    chain.grow()
    await settle(clock)
    expect(lost[0]!.message).toBe('over 10 blocks missed')
  })
})

test('close ends the watchers and the questions under way', async () => {
  const { clock, chain, node, stream } = scene({ fault: () => 'hang' })
  const { lost } = follow(stream)
  await settle(clock)
  expect(node.open()).toBe(1)
  stream.close()
  await settle(clock)
  expect([node.open(), clock.timers, chain.watchers]).toEqual([0, 0, 0])
  expect(lost[0]!.code).toBe('aborted')
  expect(() => follow(stream)).toThrow('closed')
})

test("whatever the source tells and the nodes fail, each watcher's list becomes the canonical chain", async () => {
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('grow' as const),
        reported: fc.constantFrom('bare', 'block', 'silent'),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('reorg' as const),
        depth: fc.integer({ min: 1, max: 64 }),
        longer: fc.integer({ min: 0, max: 3 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('join' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('back' as const), by: fc.integer({ min: 1, max: 5 }) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 3_000 }) }) },
  )
  const faults = fc.array(fc.constantFrom<Fault[]>(undefined, undefined, 'null', 'error', 'reject', 'garbage'), {
    maxLength: 14,
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), faults, fc.integer({ min: 1, max: 6 }), async (...drawn) => {
      const [steps, queue, made] = drawn
      const clock = new FakeClock()
      // No block is made at some heights, others at each reorganisation.
      let heights = 0
      const chain = createSimChain(100_000, () => ++heights % made === 1)
      for (let i = 0; i < 70; i++) chain.grow()
      const node = createSimNode(
        chain,
        clock,
        () => queue.shift(),
        () => 10,
      )
      const stream = createChainStream({ source: chain, ask: node.ask, clock })
      const watchers = [follow(stream)]
      const first = chain.head
      for (const action of steps) {
        if (action.kind === 'grow') chain.grow([], action.reported as 'bare')
        else if (action.kind === 'reorg')
          chain.reorg(Math.min(action.depth, chain.canonical().length - 1), action.longer)
        else if (action.kind === 'join') watchers.push(follow(stream))
        else if (action.kind === 'back') chain.report(chain.canonical().at(-1 - action.by)!)
        else await settle(clock, action.ms, 500)
      }
      chain.grow()
      await drain(clock)
      for (const { lost, list } of watchers) {
        expect(lost).toEqual([])
        expect(hashes(list)).toEqual(tail(chain, list.length))
      }
      expect(stream.head!.hash).toBe(chain.head.hash)
      const atStart = chain.canonical().findIndex(({ hash }) => hash === first.hash)
      if (atStart >= 0) expect(hashes(watchers[0]!.list)).toEqual(tail(chain, chain.canonical().length - 1 - atStart))
      expect([clock.timers, node.open()]).toEqual([0, 0])
    }),
    { numRuns: 60 },
  )
})
