import { beforeAll, describe, expect, test } from 'vitest'
import type { SeenEvent } from '../../src/run/seen-streams.ts'
import { foldHeads } from '../../src/streams/fold-heads.ts'
import { foldLogs } from '../../src/streams/fold-logs.ts'
import { foldReceipts } from '../../src/streams/fold-receipts.ts'
import { type Finding, type Timeline, timelineOf } from '../../src/streams/fold.ts'
import { logsIn } from '../../src/world/answers.ts'
import type { Block } from '../../src/world/evm/block.ts'
import { createWorld } from '../../src/world/world.ts'
import { planWith } from '../world/support.ts'

let timeline: Timeline
/** The blocks from 201 on that left the chain at 20.5 s, and those that are on it. */
let old: Block[]
let now: Block[]
const start = { at: 100, fromBlock: undefined }
const until = { from: 38_000, to: 39_000 }

beforeAll(async () => {
  const world = createWorld(planWith({ emits: true, reorgs: [{ at: 20_500, depth: 6 }] }))
  const down = (): Block[] => {
    const blocks: Block[] = []
    for (let at: Block | undefined = world.chain.head; at !== undefined && at.number > 200; at = at.parent)
      blocks.unshift(at)
    return blocks
  }
  await world.clock.runUntil(20_400)
  old = down()
  await world.clock.runUntil(39_000)
  now = down()
  timeline = timelineOf(world.chain)
})

/** The blocks after which the two chains part. */
const fork = (): number => old.findIndex((block, i) => block !== now[i])
const heads = (blocks: readonly Block[]): SeenEvent[] => blocks.map(({ hash }) => ({ at: 5, result: hash }))
const logs = (blocks: readonly Block[]): SeenEvent[] => blocks.flatMap(logsIn).map((result) => ({ at: 5, result }))
const takenBack = (events: readonly SeenEvent[]): SeenEvent[] =>
  events.toReversed().map(({ at, result }) => ({ at, result: { ...(result as object), removed: true } }))
const receipts = (blocks: readonly Block[]): SeenEvent[] =>
  blocks.filter((block) => block.receipts.length > 0).map((block) => ({ at: 5, result: block.receipts }))
const kinds = (found: readonly Finding[]): readonly string[] => [...new Set(found.map(({ kind }) => kind))]

describe('heads', () => {
  const fold = (events: SeenEvent[], end = until) => kinds(foldHeads(events, start, end, timeline))
  const reported = () => [...heads(old), ...heads(now.slice(fork()))]

  test('that were told in full, over a reorganisation, are right', () => {
    expect(fold(reported())).toEqual([])
  })

  test('of which one is missing, told twice, out of order or never told at the end are found', () => {
    expect(fold(reported().toSpliced(3, 1))).toContain('gap')
    expect(fold(reported().toSpliced(3, 0, reported()[2]!))).toEqual(['duplicate'])
    expect(fold([...heads(old), ...heads(now.slice(fork() + 1))])).toContain('order')
    expect(fold(reported().slice(0, -3))).toEqual(['gap'])
    expect(fold(reported().slice(2))).toEqual(['gap'])
    expect(fold([])).toEqual(['gap'])
  })
})

describe('logs', () => {
  const fold = (events: SeenEvent[], filter: object = {}) =>
    kinds(foldLogs(events, start, until, { filter: { ...filter }, timeline, mayTakeBackMore: false }))
  const gone = () => logs(old.slice(fork()))
  const reported = () => [...logs(old), ...takenBack(gone()), ...logs(now.slice(fork()))]

  test('that were told, taken back and told anew are right', () => {
    expect(gone().length).toBeGreaterThan(3)
    expect(fold(reported())).toEqual([])
  })

  test('of a filter are held against those that match it', () => {
    const { address } = logsIn(old[2]!)[0]!
    const matching = reported().filter(({ result }) => (result as { address: string }).address === address)
    expect(fold(matching, { address })).toEqual([])
    expect(fold(matching)).toContain('gap')
  })

  test('of which one is missing, told twice, not taken back, or taken back in the wrong order are found', () => {
    expect(fold(reported().toSpliced(2, 1))).toEqual(['gap'])
    expect(fold(reported().toSpliced(2, 0, reported()[2]!))).toEqual(['duplicate'])
    expect(fold([...logs(old), ...logs(now.slice(fork()))])).toContain('order')
    expect(fold([...logs(old), ...takenBack(gone()).toReversed(), ...logs(now.slice(fork()))])).toContain('order')
    expect(fold([...reported(), ...takenBack(gone().slice(-1))])).toEqual(['order'])
    expect(fold(reported().slice(0, -4))).toEqual(['gap'])
  })

  test('with other contents than the chain has are found', () => {
    const [first, ...rest] = reported()
    expect(fold([{ at: 5, result: { ...(first!.result as object), data: '0x' } }, ...rest])).toContain('order')
  })
})

describe('receipts', () => {
  const fold = (events: SeenEvent[]) => kinds(foldReceipts(events, start, until, timeline))
  const reported = () => [...receipts(old), ...receipts(now.slice(fork()))]

  test('of each block, once and whole, are right', () => {
    expect(fold(reported())).toEqual([])
  })

  test('that are missing, told twice or told in part are found', () => {
    expect(fold(reported().toSpliced(2, 1))).toEqual(['gap'])
    expect(fold([...reported(), reported()[0]!])).toEqual(['duplicate'])
    const part = now.find((block) => block.receipts.length > 1)!
    expect(
      fold(
        reported().map((each) => (each.result === part.receipts ? { at: 5, result: part.receipts.slice(0, 1) } : each)),
      ),
    ).toEqual(['gap'])
    expect(fold(reported().slice(0, -2))).toEqual(['gap'])
  })
})
