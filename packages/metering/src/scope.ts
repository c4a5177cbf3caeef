import type { Clock } from '@wayleave/jsonrpc-core'
import { type BoundedTable, createBoundedTable } from './bounded-table.ts'
import type { Leases } from './lease.ts'
import { createRateMeter, type LimitName, type LimitWindow, type Meter } from './meter.ts'
import { checkPlan, type LimitRules, type Plan } from './plan.ts'
import { createQuota, type Quota, type QuotaWarning } from './quota.ts'

export interface ScopeOptions {
  readonly kind: 'key' | 'project'
  readonly id: string
  readonly plan: Plan
  readonly clock: Clock
  readonly leases: Leases | undefined
  readonly onWarning: ((warning: QuotaWarning) => void) | undefined
  readonly maxVisitors: number
  readonly visitorOf: (address: string) => string
  readonly onForgotten: ((party: ForgetfulParty) => void) | undefined
}

/** A key or a project that has had more visitors than are remembered. */
export interface ForgetfulParty {
  readonly scope: 'key' | 'project'
  readonly id: string
}

/** Credits that were spent, as a store of usage has them. */
export interface SpentCredits {
  readonly day: number
  readonly month: number
  /** In the day, by method. Quotas of visitors cannot be restored. */
  readonly methods?: ReadonlyMap<string, number> | undefined
  /** Ms since the Unix epoch. */
  readonly date: number
}

/** The meters of one key or one project. */
export interface Scope {
  readonly plan: Plan
  /** Meters of every call. */
  readonly always: readonly Meter[]
  /** Meters of methods, by the names and prefixes of the plan. */
  readonly byMethod: ReadonlyMap<string, readonly Meter[]>
  /** Whether there are no others. */
  readonly isPlain: boolean
  /** Meters of a call's method and visitor. */
  some(method: string, visitor: string): readonly Meter[]
  /** Makes at least these credits count as spent, in the day and the month of `date`. */
  restore(spent: SpentCredits): void
}

/** Makes the meters of a plan. They go on from those of the plan `before`. @throws MeteringError `invalid_plan` */
export function createScope(options: ScopeOptions, before?: Scope): Scope {
  const { kind, id, plan, leases, clock, onWarning, maxVisitors, visitorOf, onForgotten } = options
  checkPlan(plan, `plan of ${kind} ${id}`)

  function metersOf(
    part: LimitName['part'],
    path: string,
    rules: LimitRules & Pick<Plan, 'perMonth'>,
    keepMs?: number,
  ): Meter[] {
    const named = (window: LimitWindow) => ({
      name: { scope: kind, part, window },
      id: `${path}:${window}`,
      leases,
    })
    const quota = { clock, subject: id, onWarning: part === 'all' ? onWarning : undefined, keepMs }
    const { perSecond, perDay, perMonth } = rules
    return [
      ...(perSecond === undefined ? [] : [createRateMeter({ ...named('second'), rule: perSecond })]),
      ...(perDay === undefined ? [] : [createQuota({ ...named('day'), ...quota, rule: perDay })]),
      ...(perMonth === undefined ? [] : [createQuota({ ...named('month'), ...quota, rule: perMonth })]),
    ]
  }

  const path = `${kind}:${id}`
  const always = metersOf('all', path, plan)
  const isLeased = leases !== undefined
  for (const meter of before?.always ?? []) carryOver(meter, always, clock, isLeased)

  const byMethod = new Map<string, readonly Meter[]>()
  // Names in any case, as some nodes compare them so: a limit of `eth_getlogs` is one of `eth_getLogs`.
  const exact = new Map<string, readonly Meter[]>()
  const prefixes: (readonly [prefix: string, meters: readonly Meter[]])[] = []
  for (const [method, rules] of Object.entries(plan.methods ?? {})) {
    const meters = metersOf('method', `${path}:method:${method}`, rules)
    for (const meter of before?.byMethod.get(method) ?? []) carryOver(meter, meters, clock, isLeased)
    byMethod.set(method, meters)
    const name = method.toLowerCase()
    if (name.endsWith('*')) prefixes.push([name.slice(0, -1), meters])
    else exact.set(name, meters)
  }
  prefixes.sort(([a], [b]) => b.length - a.length)

  function ofMethod(method: string): readonly Meter[] {
    if (byMethod.size === 0) return none
    const name = method.toLowerCase()
    return exact.get(name) ?? prefixes.find(([prefix]) => name.startsWith(prefix))?.[1] ?? none
  }

  const { perVisitor } = plan
  /** Whether there were more visitors than are remembered here: the authority need not remember all of them for a day, either. */
  let isCrowded = false
  const visitors: BoundedTable<readonly Meter[]> | undefined =
    perVisitor &&
    createBoundedTable({
      maxKeys: maxVisitors,
      create: (visitor) =>
        metersOf('visitor', `${path}:visitor:${visitor}`, perVisitor, isCrowded ? crowdedMs : undefined),
      weightOf: (meters) => spentShare(meters, clock.now(), clock.date()),
      onForgotten() {
        isCrowded = true
        onForgotten?.({ scope: kind, id })
      },
    })

  return {
    plan,
    always,
    byMethod,
    isPlain: byMethod.size === 0 && visitors === undefined,
    some(method, visitor) {
      return visitors === undefined ? ofMethod(method) : [...ofMethod(method), ...visitors.get(visitorOf(visitor))]
    },
    restore({ day, month, methods: spentByMethod = [], date }) {
      for (const meter of always) {
        if (meter.name.window !== 'second') (meter as Quota).restore(meter.name.window === 'day' ? day : month, date)
      }
      const spent = new Map<Meter, number>()
      for (const [method, credits] of spentByMethod) {
        for (const meter of ofMethod(method)) spent.set(meter, (spent.get(meter) ?? 0) + credits)
      }
      for (const [meter, credits] of spent) if (meter.name.window === 'day') (meter as Quota).restore(credits, date)
    },
  }
}

const none: readonly Meter[] = []
/** Time for which the authority keeps a visitor's quota in a crowd, in ms. */
const crowdedMs = 600_000

/** Adds up the shares of meters that are spent; above 0 unless all are idle. Who has spent most is remembered longest. */
function spentShare(meters: readonly Meter[], now: number, date: number): number {
  if (meters.every((meter) => meter.isIdle(now, date))) return 0
  const left = meters.reduce((sum, meter) => sum + meter.remaining(now, date) / Math.max(1, meter.credits), 0)
  return Math.max(Number.MIN_VALUE, meters.length - left)
}

/** Makes count in the meter of the same window what another one has spent. One on a lease goes on at the authority, which needs no debit. */
function carryOver(from: Meter, meters: readonly Meter[], clock: Clock, isLeased: boolean): void {
  const now = clock.now()
  const date = clock.date()
  const to = meters.find(({ name }) => name.window === from.name.window)
  const spent = Math.min(from.credits - from.remaining(now, date), to?.credits ?? 0)
  if (to === undefined || spent <= 0) return
  if (!isLeased) to.debit(spent, now, date)
  else if (to.name.window !== 'second') (to as Quota).restore(spent, date)
}
