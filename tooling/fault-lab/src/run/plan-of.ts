import type { VerificationLevel } from '@wayleave/evm-verify'
import {
  type CallPlan,
  type CordonPlan,
  type FaultKind,
  type FaultPlan,
  nodeClients,
  type Plan,
  type ProjectPlan,
  type Question,
  type ReorgPlan,
  type UpstreamPlan,
} from '../plan.ts'
import { createDraw, type Draw } from './draw.ts'
import { drawFault, faultFamilies } from './draw-fault.ts'
import { drawFollowers } from './draw-followers.ts'
import { drawQuestion } from './draw-question.ts'

/** Time without faults and calls at the end of a run, in ms, so that what began can end. */
const quietMs = 4_000
/** The fewest calls of a run. */
const fewestCalls = 300

/**
 * Draws the plan of a seed. Swarm testing: each seed draws first which kinds of faults, calls and settings it has at all, so that rare
 * mixtures are met, too. Even seeds are mild: their first upstream never fails, and fewer than half of them lie. Odd ones are hard.
 */
export function planOf(seed: number): Plan {
  const isHard = seed % 2 === 1
  const draw = (purpose: string): Draw => createDraw(seed, purpose)
  const shape = draw('shape')
  const lengthMs = shape.of([60_000, 60_000, 60_000, 64_000])
  const blockMs = shape.of([250, 1_000, 2_000, 2_000, 4_000, 12_000])
  const verify = shape.of<VerificationLevel>(['off', 'off', 'consistent', 'consistent', 'proven'])
  const upstreams = drawUpstreams(draw('upstreams'))
  const projects = drawProjects(draw('projects'))
  const isGreedy = projects.some(({ greedy }) => greedy)
  return {
    seed,
    lengthMs,
    blockMs,
    verify,
    upstreams,
    reorgs: drawReorgs(draw('reorgs'), isHard, lengthMs, blockMs),
    faults: drawFaults(draw('faults'), isHard, lengthMs, upstreams),
    cordons: drawCordons(draw('cordons'), lengthMs, upstreams),
    projects,
    calls: drawCalls(draw('calls'), lengthMs, projects),
    limits: drawLimits(draw('limits'), isGreedy),
    ...(draw('holes').chance(0.2) && { holes: draw('holes of eight').between(1, 4) }),
    ...(draw('cache').chance(0.2) && { cache: false }),
    ...drawFollowers(draw('followers'), lengthMs - quietMs, projects),
  }
}

/** Shares and caps are tried only where places are scarce. */
function drawLimits(draw: Draw, isGreedy: boolean): Readonly<Record<string, number>> {
  const calls = draw.chance(0.4) ? { maxCalls: draw.of([100, 200]) } : {}
  if (!isGreedy) return calls
  return { ...calls, maxUpstreamCalls: draw.of([8, 16, 40]), maxQueueMs: draw.of([500, 2_000, 5_000]) }
}

function drawUpstreams(draw: Draw): readonly UpstreamPlan[] {
  const count = draw.between(2, 6)
  const latencyMs = draw.of([5, 20, 60])
  return Array.from({ length: count }, (_, i) => {
    const isFallback = i > 1 && draw.chance(0.15)
    const hasPruned = i > 0 && draw.chance(0.25)
    return {
      name: `node-${i}`,
      client: draw.of(nodeClients),
      // The first one can push, so that subscriptions have a place.
      transport: i === 0 ? 'both' : draw.of(['http', 'http', 'both', 'socket'] as const),
      tier: isFallback ? 'fallback' : 'primary',
      latencyMs: latencyMs * draw.of([1, 1, 2, 4]),
      blockDelayMs: draw.of([20, 100, 300]),
      ...(hasPruned && { stateBlocks: draw.of([16, 64, 128]) }),
      ...(hasPruned && draw.chance(0.4) && { keptBlocks: draw.of([32, 128]) }),
    }
  })
}

function drawProjects(draw: Draw): readonly ProjectPlan[] {
  const isGreedy = draw.chance(0.3)
  const ordinary = Array.from({ length: draw.between(1, 3) }, (_, i) => ({ name: `project-${i}`, greedy: false }))
  return isGreedy ? [...ordinary, { name: 'greedy', greedy: true }] : ordinary
}

/** Reorganisations so deep that they would reach below the first block of the chain are left out by the world. */
function drawReorgs(draw: Draw, isHard: boolean, lengthMs: number, blockMs: number): readonly ReorgPlan[] {
  if (!draw.chance(isHard ? 0.6 : 0.3)) return []
  const depths = isHard ? [1, 2, 3, 7, 20, 64] : [1, 1, 2, 3]
  return Array.from({ length: draw.between(1, 3) }, () => ({
    at: draw.between(3_000, lengthMs - quietMs - 2 * Math.min(blockMs, 2_000)),
    depth: draw.of(depths),
  })).toSorted((a, b) => a.at - b.at)
}

function drawFaults(
  draw: Draw,
  isHard: boolean,
  lengthMs: number,
  upstreams: readonly UpstreamPlan[],
): readonly FaultPlan[] {
  const kinds = draw.some(isHard ? faultFamilies.all : [...faultFamilies.all], isHard ? 0.35 : 0.15)
  if (kinds.length === 0) return []
  const names = upstreams.map(({ name }) => name)
  // Fewer than half of a mild network's upstreams lie, and never the first one.
  const liars = isHard ? names : names.slice(1, 1 + Math.floor((names.length - 1) / 2))
  const failing = isHard ? names : names.slice(1)
  const lies: ReadonlySet<FaultKind> = new Set(faultFamilies.lying)
  const count = isHard ? draw.between(4, 14) : draw.between(1, 5)
  return Array.from({ length: count }, () => {
    const kind = draw.of(kinds)
    const among = lies.has(kind) ? liars : failing
    return among.length === 0 ? [] : [drawFault(draw, kind, draw.of(among), lengthMs - quietMs)]
  })
    .flat()
    .toSorted((a, b) => a.at - b.at)
}

function drawCordons(draw: Draw, lengthMs: number, upstreams: readonly UpstreamPlan[]): readonly CordonPlan[] {
  if (!draw.chance(0.2)) return []
  return [
    { upstream: draw.of(upstreams.slice(1)).name, at: draw.between(0, lengthMs / 2), forMs: draw.of([2_000, 20_000]) },
  ]
}

type Draft = Omit<CallPlan, 'id'>

function drawCalls(draw: Draw, lengthMs: number, projects: readonly ProjectPlan[]): readonly CallPlan[] {
  const until = lengthMs - quietMs
  const ordinary = projects.filter(({ greedy }) => !greedy)
  const greedy = projects.find((project) => project.greedy)
  const deadlines = draw.some([1_000, 3_000, 10_000, 30_000], 0.5, 1)
  const mix = { writes: draw.of([0, 0.05, 0.2]), batches: draw.of([0, 0.05, 0.15]), sockets: draw.of([0, 0.3]) }
  const drafts: Draft[] = []
  let transactions = 0
  const write = (): Question => {
    // Clients send a transaction again when they are not sure.
    const isAgain = transactions > 0 && draw.chance(0.25)
    const index = isAgain ? draw.between(0, transactions - 1) : transactions++
    return { method: 'eth_sendRawTransaction', params: [`$raw:${index}`] }
  }
  for (let i = 0; i < fewestCalls; i++) {
    const at = draw.between(200, until)
    const project = draw.of(ordinary).name
    const deadlineMs = draw.of(deadlines)
    const connection = draw.chance(mix.sockets) ? connectionOf(projects, project, draw.between(0, 1)) : undefined
    const base = { at, project, deadlineMs, ...(connection !== undefined && { connection }) }
    if (draw.chance(mix.writes)) drafts.push({ ...base, kind: 'write', questions: [write()] })
    else if (draw.chance(mix.batches)) {
      const questions = Array.from({ length: draw.between(2, 6) }, () => drawQuestion(draw, transactions))
      drafts.push({ ...base, kind: 'batch', questions })
    } else drafts.push({ ...base, kind: 'read', questions: [drawQuestion(draw, transactions)] })
  }
  if (draw.chance(0.5)) drafts.push(...drawSubscriptions(draw, until, projects))
  if (greedy !== undefined) drafts.push(...drawBursts(draw, until, greedy.name, transactions))
  return numbered(drafts)
}

/** Each project has sockets of its own. */
function connectionOf(projects: readonly ProjectPlan[], name: string, nth: number): number {
  return projects.findIndex((project) => project.name === name) * 10 + nth
}

function drawSubscriptions(draw: Draw, until: number, projects: readonly ProjectPlan[]): readonly Draft[] {
  const kinds = [['newHeads'], ['newHeads'], ['logs', { address: '$contract' }], ['newPendingTransactions']]
  return Array.from({ length: draw.between(1, 5) }, (_, i) => {
    const project = draw.of(projects).name
    const connection = connectionOf(projects, project, 2 + i)
    const at = draw.between(500, until / 2)
    const base = { project, connection, deadlineMs: 10_000 }
    const opening: Draft = {
      ...base,
      at,
      kind: 'subscribe',
      questions: [{ method: 'eth_subscribe', params: draw.of(kinds) }],
    }
    if (draw.chance(0.4)) return [opening]
    const end = draw.between(at + 1_000, until)
    const leaving: Draft = draw.chance(0.5)
      ? { ...base, at: end, kind: 'leave', questions: [] }
      : { ...base, at: end, kind: 'unsubscribe', questions: [{ method: 'eth_unsubscribe', params: ['$subscription'] }] }
    return [opening, leaving]
  }).flat()
}

/** Bursts of calls, each at one moment. */
function drawBursts(draw: Draw, until: number, project: string, transactions: number): readonly Draft[] {
  return Array.from({ length: draw.between(2, 4) }, () => {
    const at = draw.between(1_000, until)
    const deadlineMs = draw.of([400, 2_000, 10_000])
    return Array.from({ length: 60 }, () => ({
      at: at + draw.between(0, 40),
      project,
      kind: 'read' as const,
      questions: [drawQuestion(draw, transactions)],
      deadlineMs,
    }))
  }).flat()
}

/** Puts calls in the order of their times. A subscription's end names the call that opened it, on the same connection. */
function numbered(drafts: readonly Draft[]): readonly CallPlan[] {
  const calls = drafts.toSorted((a, b) => a.at - b.at).map((draft, id) => ({ ...draft, id }))
  return calls.map((call) => {
    if (call.kind !== 'unsubscribe') return call
    const opened = calls.find(({ kind, connection }) => kind === 'subscribe' && connection === call.connection)
    return { ...call, questions: [{ method: 'eth_unsubscribe', params: [`$subscription:${opened!.id}`] }] }
  })
}
