import {
  type CallPlan,
  type FaultKind,
  type FaultPlan,
  nodeClients,
  type Plan,
  type PollerPlan,
  type ReorgPlan,
  type StreamKind,
  type SubscriberPlan,
  type UpstreamPlan,
} from '../plan.ts'
import type { VerificationLevel } from '@wayleave/evm-verify'
import { isRefusedBy, lies } from '../world/lies.ts'
import { createDraw, type Draw } from './draw.ts'
import { drawFilter } from './draw-followers.ts'

/** Forced losses of upstreams in one run. */
export const lossesOfRun = 25
/** Subscribers of one run, where none are named. */
const subscribersOfRun = 100

export interface StreamsShape {
  /** Default 100. */
  readonly subscribers?: number
  /** Default 6. */
  readonly pollers?: number
  /** Whether the parts of evm-events serve them alone. Default: the gateway does. */
  readonly isBare?: boolean
  /** Above `off`, one upstream tells lies that this level refuses. Default `off`. */
  readonly verify?: VerificationLevel
}

/** Time before the first loss, and without any at the end, in ms. */
const calmMs = 8_000
const quietMs = 20_000

/** The ways in which an upstream is lost. */
const kindsOfLoss: readonly FaultKind[] = [
  'crash',
  'crash',
  'hang',
  'drop_socket',
  'flap',
  'freeze',
  'mute_push',
  'restart_old',
]
/** Faults beside them: none makes an answer false. */
const troubles: readonly FaultKind[] = [
  'late',
  'rate_limit',
  'duplicate_push',
  'shuffle_push',
  'error_words',
  'stall_mid_body',
  'bad_gateway',
]

/**
 * Draws a run of streams: three upstreams are lost again and again, the chain is replaced to a depth of 64 meanwhile, under subscribers of
 * all kinds, pollers, and calls for logs of long ranges. Nothing is false that is not refused, so that nothing may be missing.
 */
export function streamsPlanOf(seed: number, shape: StreamsShape = {}): Plan {
  const draw = (purpose: string): Draw => createDraw(seed, `streams: ${purpose}`)
  const pace = draw('pace')
  const blockMs = pace.of([500, 1_000, 2_000])
  const everyMs = pace.of([3_000, 4_000, 6_000])
  const { subscribers = subscribersOfRun, pollers = 6, isBare = false, verify = 'off' } = shape
  const lengthMs = calmMs + lossesOfRun * everyMs + quietMs
  const upstreams = drawUpstreams(draw('upstreams'))
  const lost = drawLosses(draw('losses'), upstreams, everyMs)
  const faults = [...lost, ...drawLies(draw('lies'), verify, upstreams, lengthMs)].toSorted((a, b) => a.at - b.at)
  return {
    seed,
    lengthMs,
    blockMs,
    verify,
    upstreams,
    reorgs: drawReorgs(draw('reorgs'), lost, lengthMs),
    faults,
    projects: [{ name: 'app', greedy: false }],
    calls: drawCalls(draw('calls'), lengthMs),
    emits: true,
    hasBareStreams: isBare,
    subscribers: drawSubscribers(draw('subscribers'), subscribers, lengthMs),
    pollers: drawPollers(draw('pollers'), pollers),
  }
}

function drawUpstreams(draw: Draw): readonly UpstreamPlan[] {
  return (['both', 'both', 'http'] as const).map((transport, i) => ({
    name: `node-${i}`,
    client: draw.of(nodeClients),
    transport,
    tier: 'primary',
    latencyMs: draw.of([5, 20, 60]),
    blockDelayMs: draw.of([20, 100, 300]),
    maxRange: draw.of([50, 100, 1_000]),
    ...(draw.chance(0.3) && { emptyForUnknown: true }),
  }))
}

function drawLosses(draw: Draw, upstreams: readonly UpstreamPlan[], everyMs: number): readonly FaultPlan[] {
  const names = upstreams.map(({ name }) => name)
  const faults: FaultPlan[] = []
  for (let i = 0; i < lossesOfRun; i++) {
    const at = calmMs + i * everyMs + draw.between(0, everyMs / 2)
    const kind = draw.of(kindsOfLoss)
    const amount = kind === 'restart_old' ? { amount: draw.of([2, 10, 64]) } : {}
    faults.push({ upstream: draw.of(names), kind, at, forMs: draw.of([300, 1_000, 3_000, 8_000]), ...amount })
    if (draw.chance(0.4)) faults.push(drawTrouble(draw, draw.of(names), at))
  }
  return faults.toSorted((a, b) => a.at - b.at)
}

function drawTrouble(draw: Draw, upstream: string, at: number): FaultPlan {
  const kind = draw.of(troubles)
  const amount = kind === 'late' ? { amount: draw.of([500, 3_000]) } : {}
  const variant = kind === 'error_words' ? { variant: draw.of([0, 1, 2, 3, 5]) } : {}
  return {
    upstream,
    kind,
    at: at + draw.between(0, 1_000),
    forMs: draw.of([500, 2_000, 5_000]),
    rate: draw.of([0.3, 1]),
    ...amount,
    ...variant,
  }
}

/** The lies of one upstream, which a level of verification refuses: about every second one is of logs or receipts. */
function drawLies(
  draw: Draw,
  verify: VerificationLevel,
  upstreams: readonly UpstreamPlan[],
  lengthMs: number,
): readonly FaultPlan[] {
  if (verify === 'off') return []
  const variants = lies.flatMap((_, variant) => (isRefusedBy(verify, variant) ? [variant] : []))
  const upstream = draw.of(upstreams).name
  const kind = 'lie'
  const faults: FaultPlan[] = []
  for (let at = calmMs; at < lengthMs - quietMs;) {
    const forMs = draw.of([2_000, 5_000, 15_000])
    faults.push({ upstream, kind, at, forMs, rate: draw.of([0.3, 1]), variant: draw.of(variants) })
    at += forMs + draw.of([0, 1_000, 4_000])
  }
  return faults
}

/** Reorganisations beside losses: one of 64 blocks at least. */
function drawReorgs(draw: Draw, faults: readonly FaultPlan[], lengthMs: number): readonly ReorgPlan[] {
  const times = faults.filter(() => draw.chance(0.25)).map(({ at }) => at + draw.between(-500, 2_000))
  return [calmMs + 2_000, ...times]
    .filter((at) => at < lengthMs - quietMs)
    .map((at, i) => ({ at, depth: i === 0 ? 64 : draw.of([1, 1, 2, 3, 7, 20, 64]) }))
    .toSorted((a, b) => a.at - b.at)
}

const kinds: readonly StreamKind[] = [
  'newHeads',
  'newHeads',
  'logs',
  'logs',
  'logs',
  'transactionReceipts',
  'newPendingTransactions',
]

/** Subscribers of all kinds, who come and go. */
function drawSubscribers(draw: Draw, count: number, lengthMs: number): readonly SubscriberPlan[] {
  return Array.from({ length: count }, (_, id) => {
    const kind = kinds[id % kinds.length]!
    const at = draw.chance(0.7) ? draw.between(500, 5_000) : draw.between(500, lengthMs / 2)
    const drops = draw.chance(0.5)
      ? []
      : Array.from({ length: draw.between(1, 4) }, () => draw.between(at + 1_000, lengthMs - quietMs))
    return {
      id,
      at,
      project: 'app',
      kind,
      ...(kind === 'logs' && { filter: drawFilter(draw) }),
      ...((kind === 'logs' || kind === 'newHeads') && draw.chance(0.2) && { fromDepth: draw.of([0, 3, 40]) }),
      drops: drops.toSorted((a, b) => a - b),
      awayMs: draw.of([100, 700, 3_000]),
      ...(draw.chance(0.15) && { leavesAt: draw.between(at + 2_000, lengthMs - quietMs) }),
    }
  })
}

function drawPollers(draw: Draw, count: number): readonly PollerPlan[] {
  return Array.from({ length: count }, (_, id) => ({
    id,
    at: draw.between(1_000, 10_000),
    project: 'app',
    ...(id % 2 === 0 ? { kind: 'logs' as const, filter: drawFilter(draw) } : { kind: 'blocks' as const }),
    everyMs: draw.of([300, 1_000, 4_000]),
  }))
}

type Draft = Omit<CallPlan, 'id'>

/** Calls for logs of long ranges, and transactions that are announced, some of them in the quiet end. */
function drawCalls(draw: Draw, lengthMs: number): readonly CallPlan[] {
  const write = (at: number, nth: number): Draft => ({
    at,
    project: 'app',
    deadlineMs: 30_000,
    kind: 'write',
    questions: [{ method: 'eth_sendRawTransaction', params: [`$raw:${nth}`] }],
  })
  const last = [3_000, 3_500, 4_000].map((before, i) => write(lengthMs - before, 60 + i))
  return Array.from({ length: 60 }, (_, nth) => nth)
    .map((nth): Draft => {
      const base = { at: draw.between(1_000, lengthMs - quietMs), project: 'app', deadlineMs: 30_000 }
      if (nth % 2 === 0) return write(base.at, nth)
      const range = {
        fromBlock: `$number:head-${draw.of([20, 90, 180])}`,
        toBlock: draw.of(['latest', '$number:head-1', '$number:head-10']),
      }
      return {
        ...base,
        kind: 'read',
        questions: [{ method: 'eth_getLogs', params: [{ ...range, ...drawFilter(draw) }] }],
      }
    })
    .concat(last)
    .toSorted((a, b) => a.at - b.at)
    .map((call, id) => ({ ...call, id }))
}
