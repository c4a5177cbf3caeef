import type { LimitRules, Plan as Limits, QuotaRule, RateRule } from '@wayleave/metering'
import { integer, oneOf, optional, record, type Schema, text } from '@wayleave/jsonrpc-core/schema'
import { exact, listOf } from './fields.ts'

// The numbers are those of `checkPlan` of `metering`; a test holds this schema to it.
const credits = integer('a whole number of credits from 0 to 1e12', 0, 1e12)

const rate: Schema<RateRule> = exact<RateRule>('{ credits, burst? }', {
  credits: integer('credits a second: a whole number from 1 to 10,000,000', 1, 10_000_000),
  burst: optional(integer('credits at once: a whole number from 1 to 1,000,000,000', 1, 1_000_000_000)),
})

const quota: Schema<QuotaRule> = exact<QuotaRule>('{ credits, action?, marks? }', {
  credits,
  action: optional(oneOf<'warn' | 'stop'>('warn', 'stop')),
  marks: optional(listOf(integer('a percentage from 1 to 100', 1, 100), 10)),
})

const rules: Schema<LimitRules> = exact<LimitRules>('{ perSecond?, perDay? }', {
  perSecond: optional(rate),
  perDay: optional(quota),
})

/** Limits of a plan, a project or a key. */
export const limits: Schema<Limits> = exact<Limits>('limits', {
  perSecond: optional(rate),
  perDay: optional(quota),
  perMonth: optional(quota),
  methods: optional(record(rules, text('a method, or a prefix and *', /^(?!__proto__$)\w+\*?$/))),
  perVisitor: optional(rules),
  maxFilters: optional(integer('filters on a network: a whole number from 0 to 1,000,000', 0, 1_000_000)),
})
