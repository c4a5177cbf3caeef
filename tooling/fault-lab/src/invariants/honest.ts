import { faultFamilies } from '../run/draw-fault.ts'
import type { FaultKind, FaultPlan, Plan } from '../plan.ts'
import { isRefusedBy } from '../world/lies.ts'

/** Time for which an upstream may still suffer after a fault, in virtual ms: it catches up, or is tried again. */
const aftermathMs = 5_000
/** Time for which nothing may fail at an upstream before the end of a run, in virtual ms. */
const calmMs = 6_000
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

/** Whether subscribers could be told anything false in a run, or miss an upstream that is taken out of use: verification does not see it. */
export function canMislead(plan: Plan): boolean {
  if (!hasLies(plan)) return false
  const { faults, cordons = [], verify, upstreams } = plan
  const areSeen = faults.every(
    ({ kind, variant = 0 }) => !lying.has(kind) || (kind === 'lie' && isRefusedBy(verify, variant)),
  )
  return (
    cordons.length > 0 ||
    !areSeen ||
    upstreams.some((upstream) => upstream.verify !== undefined) ||
    !hasTrueMajority(plan, plan.lengthMs)
  )
}

/** The fewest upstreams of which a majority can outvote a liar. */
const fewestVoices = 3

/** Whether most upstreams are sound in a span, so that an answer of theirs can be proven. */
export function couldBeProven(plan: Plan, from: number, to: number): boolean {
  return plan.upstreams.length >= fewestVoices && soundIn(plan, from, to).length * 2 > plan.upstreams.length
}

/** Whether an upstream that has all is sound for the last while of a run, so that all that is late has come. */
export function hasCalmEnd(plan: Plan): boolean {
  const { lengthMs, upstreams, projects } = plan
  const sound = soundIn(plan, lengthMs - calmMs, lengthMs)
  return (
    hasSteadyMajority(plan) &&
    !projects.some(({ greedy }) => greedy) &&
    upstreams.some(
      ({ name, tier, keptBlocks }) => tier === 'primary' && keptBlocks === undefined && sound.includes(name),
    )
  )
}

/** Whether more than half of the upstreams tell the truth, if anything, up to the end of a span: their majority cannot be made up. */
export function hasTrueMajority(plan: Plan, to: number): boolean {
  return areFew(plan, lying, to)
}

/** Whether more than half of the upstreams neither lie nor go back: the chain that most tell goes back with them. */
export function hasSteadyMajority(plan: Plan): boolean {
  return areFew(plan, new Set<FaultKind>([...lying, 'lag', 'restart_old', 'freeze']), plan.lengthMs)
}

/** Whether more than half of the upstreams have no fault of any kind: all the while, they agree on the head. */
export function hasSoundMajority(plan: Plan): boolean {
  return areFew(plan, new Set(plan.faults.map(({ kind }) => kind)), plan.lengthMs)
}

/** Whether fewer than half of the upstreams have faults of some kinds up to the end of a span. */
function areFew({ upstreams, faults }: Plan, kinds: ReadonlySet<FaultKind>, to: number): boolean {
  const met = new Set(faults.filter(({ kind, at }) => kinds.has(kind) && at <= to).map(({ upstream }) => upstream))
  return met.size * 2 < upstreams.length
}
