import { MeteringError, wholeNumber } from './error.ts'
import { createGcra, type RateRule } from './gcra.ts'

/** Credits in a day or a calendar month, UTC. */
export interface QuotaRule {
  readonly credits: number
  /** `stop`: further calls are refused; `warn`: they are only reported. Default `stop`. */
  readonly action?: 'warn' | 'stop' | undefined
  /** Percentages that are reported once a period. Default 75, 85, 100. */
  readonly marks?: readonly number[] | undefined
}

/** The limits of one bucket. */
export interface LimitRules {
  readonly perSecond?: RateRule | undefined
  /** Resets at 00:00 UTC. */
  readonly perDay?: QuotaRule | undefined
}

/** Limits that any number of keys or projects may name; each of them has its own buckets. A limit that is absent does not exist. */
export interface Plan extends LimitRules {
  /** Resets on the first of the month, 00:00 UTC. */
  readonly perMonth?: QuotaRule | undefined
  /** Limits of methods: a name, or a prefix such as `debug_*`, whose methods share them. The name goes before the longest prefix. */
  readonly methods?: Readonly<Record<string, LimitRules>> | undefined
  /** Limits of each visitor address. */
  readonly perVisitor?: LimitRules | undefined
  /** Most filters of `eth_newFilter` and its like that a project may have on a network at a time. They are counted elsewhere. */
  readonly maxFilters?: number | undefined
}

/** The greatest number of filters that a plan may name. */
const mostFilters = 1_000_000

/** Default percentages of a quota that are reported. */
export const defaultMarks: readonly number[] = [75, 85, 100]

/** Checks a plan. @throws MeteringError `invalid_plan` that names the member */
export function checkPlan(plan: Plan, path = 'plan'): void {
  checkMembers(plan, path, ['perSecond', 'perDay', 'perMonth', 'methods', 'perVisitor', 'maxFilters'])
  checkRules(plan, path)
  if (plan.perMonth !== undefined) checkQuota(plan.perMonth, `${path}.perMonth`)
  for (const [method, rules] of Object.entries(plan.methods ?? {})) {
    const at = `${path}.methods['${method.slice(0, 64)}']`
    if (!/^[\w]+\*?$/.test(method))
      throw new MeteringError('invalid_plan', `${at}: expected a method, or a prefix and *`)
    checkMembers(rules, at, ['perSecond', 'perDay'])
    checkRules(rules, at)
  }
  if (plan.maxFilters !== undefined)
    wholeNumber('invalid_plan', `${path}.maxFilters`, plan.maxFilters, { most: mostFilters })
  if (plan.perVisitor === undefined) return
  checkMembers(plan.perVisitor, `${path}.perVisitor`, ['perSecond', 'perDay'])
  checkRules(plan.perVisitor, `${path}.perVisitor`)
}

function checkRules({ perSecond, perDay }: LimitRules, path: string): void {
  if (perSecond !== undefined) {
    checkMembers(perSecond, `${path}.perSecond`, ['credits', 'burst'])
    createGcra(perSecond, `${path}.perSecond`)
  }
  if (perDay !== undefined) checkQuota(perDay, `${path}.perDay`)
}

function checkQuota(rule: QuotaRule, path: string): void {
  checkMembers(rule, path, ['credits', 'action', 'marks'])
  wholeNumber('invalid_plan', `${path}.credits`, rule.credits)
  const { action = 'stop', marks = defaultMarks } = rule
  if (action !== 'warn' && action !== 'stop') {
    throw new MeteringError('invalid_plan', `${path}.action must be "warn" or "stop"`)
  }
  if (!Array.isArray(marks) || marks.length > 10) {
    throw new MeteringError('invalid_plan', `${path}.marks must be a list of at most 10 percentages`)
  }
  for (const mark of marks) wholeNumber('invalid_plan', `${path}.marks`, mark, { least: 1, most: 100 })
}

/** A misspelt limit would be no limit. */
function checkMembers(value: object, path: string, known: readonly string[]): void {
  if (typeof value !== 'object' || value === null) throw new MeteringError('invalid_plan', `${path} must be an object`)
  const unknown = Object.keys(value).find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new MeteringError('invalid_plan', `${path} has no member ${unknown.slice(0, 40)}; it has ${known.join(', ')}`)
}
