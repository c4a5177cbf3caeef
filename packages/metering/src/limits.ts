import type { Clock } from '@wayleave/jsonrpc-core'
import { createLeases, type LeasesOptions } from './lease.ts'
import type { QuotaWarning } from './quota.ts'
import { createScope, type ForgetfulParty, type Scope, type SpentCredits } from './scope.ts'
import type { Meter } from './meter.ts'
import type { Plan } from './plan.ts'
import { printRateLimit, type RateLimitFields } from './rate-limit-fields.ts'
import { type Refusal, refusalBy } from './refusal.ts'

export interface LimitsOptions {
  readonly clock: Clock
  /** Shares the limits with other processes. Default: all limits are exact in this one alone. */
  readonly shared?: Omit<LeasesOptions, 'clock'> | undefined
  /** Called when a mark of a quota is reached. */
  readonly onWarning?: ((warning: QuotaWarning) => void) | undefined
  /**
   * Visitors that are remembered at once, for each key and project with such limits. Beyond them, one who has spent little is forgotten, and
   * begins anew. Default 10,000.
   */
  readonly maxVisitors?: number | undefined
  /** Names the visitor behind an address, such as the network of which they may choose any address. Default: the address itself. */
  readonly visitorOf?: ((address: string) => string) | undefined
  /** Called when a visitor was forgotten. */
  readonly onForgotten?: ((party: ForgetfulParty) => void) | undefined
}

/** A key or a project, and its plan. */
export interface LimitedParty {
  /** Stable, and without a secret: it names buckets and is told with warnings. */
  readonly id: string
  /** Absent: no limits. A changed plan is another object. */
  readonly plan?: Plan | undefined
}

/** The limits of all callers. */
export interface Limits {
  /** Returns the limiter of a key of a project; the same one until a plan changes. */
  of(key: LimitedParty, project: LimitedParty): Limiter
  /** Forgets a key or a project that is gone. */
  forget(scope: 'key' | 'project', id: string): void
  /** Makes at least these credits count as spent in the day and month of `date`, as at the start of a process. Where limits are shared, the authority prevails. */
  restore(party: LimitedParty & { readonly scope: 'key' | 'project' }, spent: SpentCredits): void
  /** Tells the authority what is owed. Waits for it, but not long. */
  close(): Promise<void>
}

/** An event that meets a spent quota: nothing more may be pushed. */
export interface SpentCharge extends Refusal {
  /** False: the quota was spent before, so that the event must not be pushed. True: the event is the last one. */
  readonly isDebited: boolean
}

/** Admits the calls of one key. Synchronous. */
export interface Limiter {
  /** Debits a call from all limits that it falls under; or from none, and says why. A refusal with `reserve` is open until that was called. */
  admit(method: string, visitor: string, price: number): Refusal | undefined
  /** Gives credits of an admitted call back, once its outcome has made it cheaper. */
  giveBack(method: string, visitor: string, credits: number): void
  /**
   * Debits a pushed event: from rates in any case, and from none where a quota that stops is spent already. A promise where the authority
   * of the limits decides on that.
   */
  charge(method: string, visitor: string, credits: number): SpentCharge | undefined | Promise<SpentCharge | undefined>
  /** The fields `RateLimit-Policy` and `RateLimit` of a call; undefined where it falls under no limit. */
  fields(method: string, visitor: string): RateLimitFields | undefined
}

/**
 * Creates limits. A limit is exact in one process. One that is shared holds among all: each decides at once on its share, and settles
 * in the background.
 * @throws MeteringError `invalid_plan` for a share that is not above 0 and at most 1, and from `of` for a plan that is not sound
 */
export function createLimits(options: LimitsOptions): Limits {
  const { clock, shared, onWarning, onForgotten, maxVisitors = 10_000, visitorOf = itself } = options
  const leases = shared && createLeases({ ...shared, clock })
  const host = { clock, leases, onWarning, maxVisitors, visitorOf, onForgotten }
  const scopes = { key: new Map<string, Scope>(), project: new Map<string, Scope>() }
  const limiters = new Map<string, { readonly key: Scope; readonly project: Scope; readonly limiter: Limiter }>()

  function scopeOf(kind: 'key' | 'project', { id, plan = noPlan }: LimitedParty): Scope {
    const known = scopes[kind].get(id)
    if (known?.plan === plan) return known
    const made = createScope({ kind, id, plan, ...host }, known)
    scopes[kind].set(id, made)
    return made
  }

  return {
    of(key, project) {
      const keyScope = scopeOf('key', key)
      const projectScope = scopeOf('project', project)
      const known = limiters.get(key.id)
      if (known?.key === keyScope && known.project === projectScope) return known.limiter
      const limiter = createLimiter(keyScope, projectScope, clock)
      limiters.set(key.id, { key: keyScope, project: projectScope, limiter })
      return limiter
    },
    forget(scope, id) {
      scopes[scope].delete(id)
      if (scope === 'key') limiters.delete(id)
    },
    restore({ scope, ...party }, spent) {
      scopeOf(scope, party).restore(spent)
    },
    close: async () => leases?.close(),
  }
}

const noPlan: Plan = {}
const itself = (address: string): string => address

function createLimiter(key: Scope, project: Scope, clock: Clock): Limiter {
  const always = [...key.always, ...project.always]
  const isPlain = key.isPlain && project.isPlain
  const metersOf = (method: string, visitor: string): readonly Meter[] =>
    isPlain ? always : [...always, ...key.some(method, visitor), ...project.some(method, visitor)]

  return {
    admit(method, visitor, price) {
      const meters = metersOf(method, visitor)
      const now = clock.now()
      const date = clock.date()
      let worst: Meter | undefined
      let longest = 0
      for (const meter of meters) {
        const wait = meter.wait(price, now, date)
        if (wait <= longest) continue
        longest = wait
        worst = meter
      }
      if (worst !== undefined) return refuse({ meters, method, price, least: price, clock }, worst, longest, now, date)
      for (const meter of meters) meter.debit(price, now, date)
      return undefined
    },
    giveBack(method, visitor, credits) {
      if (credits <= 0) return
      const now = clock.now()
      const date = clock.date()
      for (const meter of metersOf(method, visitor)) meter.debit(-credits, now, date)
    },
    charge(method, visitor, price) {
      const now = clock.now()
      const date = clock.date()
      const all = metersOf(method, visitor)
      const meters = all.filter(({ name }) => name.window !== 'second')
      const rates = all.filter(({ name }) => name.window === 'second')
      const spentBy = (isDebited: boolean, isAt: number, on: number): SpentCharge | undefined => {
        const spent = meters.find((meter) => isRefusing(meter, 1, isAt, on))
        return spent && { ...refusalBy(spent, method, price, Number.POSITIVE_INFINITY, isAt, on), isDebited }
      }
      const before = spentBy(false, now, date)
      if (before !== undefined) return before
      const mayLack = price > 0 && meters.some((meter) => meter.wait(price, now, date) > 0 && mayAsk(meter, 1, now))
      if (!mayLack) {
        for (const meter of all) meter.debit(price, now, date)
        return spentBy(true, now, date)
      }
      return reserve({ meters, method, price, least: 1, clock }).then((refusal) => {
        if (refusal !== undefined) return { ...refusal, isDebited: false }
        for (const meter of rates) meter.debit(price, clock.now(), clock.date())
        return spentBy(true, clock.now(), clock.date())
      })
    },
    fields(method, visitor) {
      const meters = metersOf(method, visitor)
      return meters.length === 0 ? undefined : printRateLimit(meters, clock.now(), clock.date())
    },
  }
}

/** Whether a meter refuses a call, and nothing that other processes have left could change that. */
function isRefusing(meter: Meter, price: number, now: number, date: number): boolean {
  return meter.wait(price, now, date) > 0 && !mayAsk(meter, price, now)
}

const mayAsk = (meter: Meter, price: number, now: number): boolean => meter.mayReserve?.(price, now) === true

/** The call of a {@link Limiter.admit}, or the event of a {@link Limiter.charge}. */
interface AskedCall {
  readonly meters: readonly Meter[]
  readonly method: string
  readonly price: number
  /** The credits that it must have of its price. */
  readonly least: number
  readonly clock: Clock
}

function refuse(call: AskedCall, worst: Meter, waitMs: number, now: number, date: number): Refusal {
  const { meters, method, price } = call
  const refusal = refusalBy(worst, method, price, waitMs, now, date)
  let isOpen = true
  for (const meter of meters) {
    if (!isRefusing(meter, price, now, date)) continue
    isOpen = false
    meter.refused?.(price)
  }
  return isOpen ? { ...refusal, reserve: () => reserve(call) } : refusal
}

/** Debits a call or an event from all its limits: from those whose share is too small, at the authority. */
async function reserve(call: AskedCall): Promise<Refusal | undefined> {
  const { meters, method, price, least, clock } = call
  const reserved = new Map<Meter, number>()
  for (;;) {
    const now = clock.now()
    const date = clock.date()
    const rest = meters.filter((meter) => !reserved.has(meter))
    const short = rest.filter(
      (meter) => meter.wait(price, now, date) > 0 && (mayAsk(meter, least, now) || meter.wait(least, now, date) > 0),
    )
    if (short.length === 0) {
      for (const meter of rest) meter.debit(price, now, date)
      return undefined
    }
    let refusing = short.find((meter) => !mayAsk(meter, least, now))
    if (refusing === undefined) {
      const debited = await Promise.all(short.map((meter) => meter.reserve!(price, least, date)))
      short.forEach((meter, i) => debited[i] !== undefined && reserved.set(meter, debited[i]))
      refusing = short.find((meter) => !reserved.has(meter))
      if (refusing === undefined) continue
    }
    for (const [meter, debited] of reserved) meter.debit(-debited, clock.now(), clock.date())
    refusing.refused?.(price)
    const waitMs = refusing.name.window === 'second' ? refusing.wait(price, now, date) : Number.POSITIVE_INFINITY
    return refusalBy(refusing, method, price, waitMs, clock.now(), clock.date())
  }
}
