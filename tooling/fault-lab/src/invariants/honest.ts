import { faultFamilies } from '../run/draw-fault.ts'
import type { FaultKind, FaultPlan, Plan } from '../plan.ts'

/** Time for which an upstream may still suffer after a fault, in virtual ms: it catches up, or is tried again. */
const aftermathMs = 5_000
const lying: ReadonlySet<FaultKind> = new Set(faultFamilies.lying)

const touches = (fault: FaultPlan, from: number, to: number): boolean =>
  fault.at <= to && fault.at + fault.forMs + aftermathMs >= from

/** The upstreams that no fault touches at any moment of a span: they could answer all that they have. */
export function soundIn({ upstreams, faults, cordons = [] }: Plan, from: number, to: number): readonly string[] {
  const inUse = upstreams.filter(({ name }) => !cordons.some(({ upstream }) => upstream === name))
  return inUse
    .map(({ name }) => name)
    .filter((name) => !faults.some((fault) => fault.upstream === name && touches(fault, from, to)))
}

/** Whether any upstream tells anything false in a run, or is taken out of use. */
export function hasLies({ faults, cordons = [] }: Plan): boolean {
  return cordons.length > 0 || faults.some(({ kind }) => lying.has(kind))
}

/** Whether more than half of the upstreams tell the truth, if anything, up to the end of a span: their majority cannot be made up. */
export function hasTrueMajority(plan: Plan, to: number): boolean {
  return areFew(plan, lying, to)
}

/** Whether more than half of the upstreams neither lie nor go back: the chain that most tell goes back with them. */
export function hasSteadyMajority(plan: Plan): boolean {
  return areFew(plan, new Set<FaultKind>([...lying, 'lag', 'restart_old', 'freeze']), plan.lengthMs)
}

/** Whether fewer than half of the upstreams have faults of some kinds up to the end of a span. */
function areFew({ upstreams, faults }: Plan, kinds: ReadonlySet<FaultKind>, to: number): boolean {
  const met = new Set(faults.filter(({ kind, at }) => kinds.has(kind) && at <= to).map(({ upstream }) => upstream))
  return met.size * 2 < upstreams.length
}
