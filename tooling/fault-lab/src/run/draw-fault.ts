import { type FaultKind, faultKinds, type FaultPlan } from '../plan.ts'
import type { Draw } from './draw.ts'

/** Kinds of faults by how they mislead. */
export const faultFamilies = {
  all: faultKinds,
  /** Answers may be false, or of another chain. */
  lying: ['lie', 'forge', 'other_chain', 'empty', 'garble', 'truncate'],
} as const satisfies Readonly<Record<string, readonly FaultKind[]>>

/** Draws when and how much an upstream fails. */
export function drawFault(draw: Draw, kind: FaultKind, upstream: string, until: number): FaultPlan {
  const at = draw.chance(0.1) ? 0 : draw.between(0, until - 3_000)
  const forMs = Math.min(draw.of([500, 2_000, 5_000, 10_000, 20_000, 60_000]), until - at)
  const more = details[kind]?.(draw)
  return { upstream, kind, at, forMs, ...more }
}

type Details = Pick<FaultPlan, 'rate' | 'amount' | 'variant'>

const anyRate = (draw: Draw): Details => ({ rate: draw.of([0.05, 0.3, 1]) })
const details: Readonly<Partial<Record<FaultKind, (draw: Draw) => Details>>> = {
  lag: (draw) => ({ amount: draw.of([1, 2, 5, 20, 64]) }),
  lie: (draw) => ({ ...anyRate(draw), variant: draw.between(0, 15) }),
  forge: (draw) => ({ amount: draw.of([1, 3, 10]) }),
  truncate: (draw) => ({ ...anyRate(draw), variant: draw.between(0, 1) }),
  garble: anyRate,
  rate_limit: (draw) => ({ ...anyRate(draw), variant: draw.between(0, 3) }),
  prune: (draw) => ({ amount: draw.of([4, 16, 64]), variant: draw.between(0, 1) }),
  other_chain: (draw) => ({ variant: draw.between(0, 1) }),
  empty: (draw) => ({ ...anyRate(draw), variant: draw.between(0, 3) }),
  flap: (draw) => ({ amount: draw.of([300, 1_000, 4_000]) }),
  restart_old: (draw) => ({ amount: draw.of([2, 10, 64]) }),
  error_words: (draw) => ({ ...anyRate(draw), variant: draw.between(0, 15) }),
  late: (draw) => ({ ...anyRate(draw), amount: draw.of([500, 3_000, 12_000]) }),
  hang: anyRate,
  stall_mid_body: anyRate,
  duplicate_push: anyRate,
  shuffle_push: anyRate,
  already_known: anyRate,
  accept_then_reset: anyRate,
  accept_then_hang: anyRate,
  bad_gateway: (draw) => ({ ...anyRate(draw), variant: draw.between(0, 2) }),
}
