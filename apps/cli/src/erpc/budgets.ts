import type { Config } from '@wayleave/gateway'
import type { Cursor } from './ledger.ts'
import { freeName } from '../free-name.ts'
import { nameOf, readPatterns } from './go-values.ts'

type Plan = NonNullable<Config['plans']>[string]
type Limits = Partial<Record<keyof Budget, { readonly credits: number }>>
type Budget = Readonly<Partial<Record<'perSecond' | 'perDay' | 'perMonth', number>>>

/** The rate limit budgets of an eRPC configuration, as what names them needs them. */
export interface Budgets {
  /** The name of the plan that a budget becomes; undefined if there is no such budget, or if nothing of it can be a plan. */
  planOf(named: Cursor | undefined): string | undefined
  /** The bounds of an upstream that a budget becomes. */
  boundsOf(named: Cursor | undefined): Budget | undefined
  /** The plans that were named. */
  plans(): Readonly<Record<string, Plan>>
}

const periods: Readonly<Record<string, keyof Budget>> = {
  second: 'perSecond',
  '1s': 'perSecond',
  '1000ms': 'perSecond',
  day: 'perDay',
  '24h': 'perDay',
  '86400s': 'perDay',
  month: 'perMonth',
}

/** Reads `rateLimiters.budgets`; each is converted for those that name it. */
export function readBudgets(limiters: Cursor | undefined): Budgets {
  const byId = new Map<string, Cursor>()
  for (const budget of limiters?.get('budgets')?.items() ?? []) {
    const id = budget.get('id')?.value
    if (typeof id === 'string' && !byId.has(id)) byId.set(id, budget)
  }
  const plans = new Map<string, { readonly name: string; readonly plan: Plan }>()
  const uses = new Map<string, number>()

  function find(named: Cursor | undefined): Cursor | undefined {
    const id = named?.text()
    const budget = id === undefined ? undefined : byId.get(id)
    if (named !== undefined && budget === undefined) named.leave('there is no budget of this name')
    if (budget === undefined) return undefined
    budget.get('id')!.use()
    const count = (uses.get(id!) ?? 0) + 1
    uses.set(id!, count)
    if (count === 2)
      budget.remark('those that name it share it there; here each has the whole of it, so divide the numbers')
    return budget
  }

  return {
    planOf(named) {
      const budget = find(named)
      if (budget === undefined) return undefined
      const id = String(budget.get('id')!.value)
      const found = plans.get(id)
      if (found !== undefined) return found.name
      const wanted = nameOf(id) ?? 'plan'
      const name = freeName(wanted, (it) => [...plans.values()].some((other) => other.name === it))
      if (name !== wanted) budget.get('id')!.remark(`its plan is ${name}, as that of another budget is ${wanted}`)
      plans.set(id, { name, plan: readPlan(budget) })
      return name
    },
    boundsOf(named) {
      const budget = find(named)
      return budget && readBounds(budget)
    },
    plans: () => Object.fromEntries(Array.from(plans.values(), ({ name, plan }) => [name, plan])),
  }
}

function readBounds(budget: Cursor): Budget | undefined {
  const bounds: Partial<Record<keyof Budget, number>> = {}
  for (const rule of budget.get('rules')?.items() ?? []) {
    const period = periodOf(rule)
    const count = rule.get('maxCount')?.number()
    if (period === undefined || count === undefined || count === 0) {
      rule.leave('an upstream has bounds per second, day and month, above 0')
    } else if ((rule.get('method')?.value ?? '*') !== '*') {
      rule.leave('an upstream has bounds for all methods together; `budget.prices` weighs them')
    } else {
      bounds[period] = Math.min(count, bounds[period] ?? count)
      rule.get('method')?.use()
      rule.get('period')?.use()
    }
  }
  return Object.keys(bounds).length === 0 ? undefined : bounds
}

function readPlan(budget: Cursor): Plan {
  const plan: Limits & { perVisitor?: Limits; methods?: Record<string, Limits> } = {}
  for (const rule of budget.get('rules')?.items() ?? []) {
    const pattern = String(rule.get('method')?.value ?? '*')
    const names = pattern === '*' ? [] : readPatterns(pattern)
    const period = periodOf(rule)
    const count = rule.get('maxCount')?.number()
    const perIp = rule.get('perIP')?.flag() === true
    const isRate = period === 'perSecond'
    const isWhole = pattern === '*' && !perIp
    if (period === undefined || count === undefined || (isRate && count === 0)) {
      rule.leave('a plan has limits per second, day and month, above 0')
    } else if (names === undefined || (perIp && pattern !== '*') || (period === 'perMonth' && !isWhole)) {
      rule.leave('a plan limits all methods, methods by name or prefix, or each address, and per month all together')
    } else {
      if (isWhole) tighten(plan, period, count)
      else if (perIp) tighten((plan.perVisitor ??= {}), period, count)
      for (const name of names) tighten(((plan.methods ??= {})[name] ??= {}), period, count)
      for (const member of ['method', 'period', 'perUser']) rule.get(member)?.use()
      if (rule.get('perNetwork')?.flag() === true)
        rule.get('perNetwork')!.remark('a limit holds for all networks together')
    }
  }
  return plan as Plan
}

/** The tighter of two rules for the same holds. */
function tighten(limits: Limits, period: keyof Budget, count: number): void {
  limits[period] = { credits: Math.min(count, limits[period]?.credits ?? count) }
}

function periodOf(rule: Cursor): keyof Budget | undefined {
  const value = rule.get('period')?.value
  // eRPC counts by the second where nothing is said.
  return value === undefined ? 'perSecond' : periods[String(value)]
}
