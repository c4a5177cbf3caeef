import type { CallPlan, FaultKind, FaultPlan, Plan, ProjectPlan, Question, ReorgPlan, UpstreamPlan } from '../plan.ts'
import { createDraw, type Draw } from './draw.ts'
import { drawFault } from './draw-fault.ts'

const lengthMs = 16_000
/** Time without faults, calls and reorganisations at the end of a run, in ms. */
const quietMs = 3_000
/** Moments at which callers ask, and how far the calls of one lie apart, in ms. */
const moments = 24
const spreadMs = 600
/** A question is asked once more within this time, in ms, when no caller may be told any more what was replaced meanwhile. */
const laterMs = 10_000
/** Faults that keep answers and heads back, and make none false. */
const kinds: readonly FaultKind[] = [
  'late',
  'lag',
  'freeze',
  'crash',
  'flap',
  'mute_push',
  'drop_socket',
  'restart_old',
]

/**
 * Draws the plan of a short run whose chain is replaced again and again, while callers ask the same few things: nearly all that it does can
 * go wrong in the cache alone. Nothing is false, so that every answer must be the chain's.
 */
export function reorgsPlanOf(seed: number): Plan {
  const draw = (purpose: string): Draw => createDraw(seed, `reorgs ${purpose}`)
  const shape = draw('shape')
  const isGrouped = shape.chance(0.2)
  const upstreams = drawUpstreams(draw('upstreams'), isGrouped)
  const projects = drawProjects(shape, isGrouped)
  const reorgs = drawReorgs(draw('reorgs'))
  return {
    seed,
    lengthMs,
    blockMs: shape.of([250, 500, 1_000, 1_000, 2_000, 4_000]),
    verify: isGrouped ? 'off' : shape.of(['off', 'off', 'off', 'consistent', 'proven'] as const),
    upstreams,
    reorgs,
    faults: drawFaults(draw('faults'), upstreams),
    projects,
    ...(shape.chance(0.3) && { emits: true }),
    calls: drawCalls(draw('calls'), projects, reorgs, isGrouped),
  }
}

/** With groups, the last upstream belongs to one. */
function drawUpstreams(draw: Draw, isGrouped: boolean): readonly UpstreamPlan[] {
  const count = draw.between(2, 4)
  const latencyMs = draw.of([5, 20, 120])
  return Array.from({ length: count }, (_, i) => ({
    name: `node-${i}`,
    client: 'geth',
    transport: i === 0 ? 'both' : draw.of(['http', 'both'] as const),
    tier: 'primary',
    latencyMs: latencyMs * draw.of([1, 1, 3]),
    blockDelayMs: draw.of([20, 100, 300]),
    ...(isGrouped && { group: i === count - 1 ? 'own' : 'shared' }),
  }))
}

function drawProjects(draw: Draw, isGrouped: boolean): readonly ProjectPlan[] {
  if (isGrouped) return ['own', 'shared'].map((group) => ({ name: `of ${group}`, greedy: false, group }))
  return Array.from({ length: draw.between(1, 2) }, (_, i) => ({ name: `project-${i}`, greedy: false }))
}

function drawReorgs(draw: Draw): readonly ReorgPlan[] {
  return Array.from({ length: draw.between(2, 6) }, () => ({
    at: draw.between(1_500, lengthMs - quietMs),
    depth: draw.of([1, 1, 2, 3, 5, 12, 64]),
  })).toSorted((a, b) => a.at - b.at)
}

/** The first upstream never fails. */
function drawFaults(draw: Draw, upstreams: readonly UpstreamPlan[]): readonly FaultPlan[] {
  if (!draw.chance(0.4)) return []
  return Array.from({ length: draw.between(1, 2) }, () =>
    drawFault(draw, draw.of(kinds), draw.of(upstreams.slice(1)).name, lengthMs - quietMs),
  ).toSorted((a, b) => a.at - b.at)
}

/** Half of the moments lie about a reorganisation: calls are on their way when it comes. */
function drawCalls(
  draw: Draw,
  projects: readonly ProjectPlan[],
  reorgs: readonly ReorgPlan[],
  isGrouped: boolean,
): readonly CallPlan[] {
  const writes = draw.of([0.3, 0.6])
  const drafts: Omit<CallPlan, 'id'>[] = []
  let transactions = 0
  const add = (at: number, question: Question, kind: CallPlan['kind'] = 'read'): void =>
    void drafts.push({ at, project: draw.of(projects).name, kind, questions: [question], deadlineMs: 5_000 })
  for (let i = 0; i < moments; i++) {
    const at = draw.chance(0.5)
      ? draw.of(reorgs).at + draw.between(-spreadMs, spreadMs)
      : draw.between(500, lengthMs - quietMs)
    if (draw.chance(writes)) add(at, { method: 'eth_sendRawTransaction', params: [`$raw:${transactions++}`] }, 'write')
    for (let nth = draw.between(1, 2); nth > 0; nth--) {
      const question = isGrouped && draw.chance(0.4) ? drawWitness(draw) : drawQuestion(draw, transactions)
      for (let again = draw.between(2, 5); again > 0; again--) add(at + draw.between(0, spreadMs), question)
      const later = at + draw.between(laterMs / 2, laterMs)
      if (later < lengthMs - 1_000) add(later, question)
    }
  }
  return drafts.toSorted((a, b) => a.at - b.at).map((each, id) => ({ ...each, id }))
}

const hash = (draw: Draw): string => `$hash:${draw.chance(0.3) ? draw.between(196, 212) : `head-${draw.of([0, 1, 3])}`}`
const block = (draw: Draw): string =>
  draw.chance(0.5)
    ? 'latest'
    : `$number:${draw.chance(0.4) ? draw.between(140, 212) : `head-${draw.of([0, 0, 1, 2, 5, 90, 110])}`}`
const stored = { to: '$contract', data: '0x20965255' }

type Entry = (draw: Draw, transactions: number) => readonly [method: string, ...params: readonly unknown[]]
const transactionOf = (draw: Draw, transactions: number): string =>
  transactions > 0 && draw.chance(0.6) ? `$tx:${draw.between(0, transactions - 1)}` : `$mined:${draw.of([0, 1, 3])}`
const accountOf = (draw: Draw, transactions: number): string =>
  transactions > 0 && draw.chance(0.5)
    ? `$account:c${draw.between(0, transactions - 1)}`
    : `$account:${draw.between(0, 3)}`

/** Questions whose answers a cache may keep: for ever, with a block, or until the next head. */
const entries: readonly Entry[] = [
  () => ['eth_blockNumber'],
  (draw) => ['eth_getBlockByNumber', block(draw), draw.chance(0.3)],
  (draw) => ['eth_getBlockByHash', hash(draw), false],
  (draw) => ['eth_getBlockReceipts', block(draw)],
  (draw, transactions) => ['eth_getBalance', accountOf(draw, transactions), block(draw)],
  (draw, transactions) => ['eth_getTransactionCount', accountOf(draw, transactions), block(draw)],
  (draw) => ['eth_call', stored, block(draw)],
  (draw) => ['eth_call', stored, draw.chance(0.5) ? 'latest' : { blockHash: hash(draw) }],
  (draw) => ['eth_getStorageAt', '$contract', '0x0', block(draw)],
  (draw, transactions) => ['eth_getTransactionReceipt', transactionOf(draw, transactions)],
  (draw, transactions) => ['eth_getTransactionReceipt', transactionOf(draw, transactions)],
  (draw, transactions) => ['eth_getTransactionByHash', transactionOf(draw, transactions)],
  (draw) => ['eth_getLogs', { blockHash: hash(draw) }],
  (draw) => ['eth_getLogs', { fromBlock: `$number:head-${draw.of([2, 8])}`, toBlock: '$number:head-1' }],
  (draw) => ['eth_getLogs', oldRange(draw)],
]

/** Blocks that a reorganisation may replace, but so old that an answer by their numbers may be kept: as many blocks of a second as are kept for a minute. */
function oldRange(draw: Draw): Readonly<Record<string, string>> {
  const to = draw.of([16, 24, 31, 48, 62])
  return { fromBlock: `$number:head-${to + draw.of([3, 20])}`, toBlock: `$number:head-${to}` }
}

function drawQuestion(draw: Draw, transactions: number): Question {
  const [method, ...params] = draw.of(entries)(draw, transactions)
  return { method, params }
}

/** Each upstream answers its own name, so that its caller can tell who was asked. */
function drawWitness(draw: Draw): Question {
  return { method: 'eth_call', params: [{ to: '$witness' }, draw.of(['$number:100', { blockHash: '$hash:head-2' }])] }
}
