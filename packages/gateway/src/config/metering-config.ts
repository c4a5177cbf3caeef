import type { LimitRules, Plan, PriceOverrides, QuotaRule, RateRule } from '@wayleave/metering'
import {
  integer,
  type ObjectShape,
  oneOf,
  optional,
  record,
  type Schema,
  shown,
  text,
} from '@wayleave/jsonrpc-core/schema'
import { arrayUpTo, count, exact, methodPattern, stringThat } from './schema-parts.ts'

/** An operator's credits of calls, in place of the default ones. */
export interface PricesConfig {
  /** By method, a prefix such as `debug_*`, or `*`; of all networks of EVM, and of other kinds where these have no price of their own. */
  readonly evm?: PriceOverrides
  readonly rollup?: PriceOverrides
  readonly starknet?: PriceOverrides
  /** By endpoint, such as `suggestedGasFees`. */
  readonly gas?: PriceOverrides
  /** By command, such as `pin/add`. */
  readonly ipfs?: PriceOverrides
  /** Pushed events by the kind of subscription, such as `newHeads`. */
  readonly events?: Readonly<Record<string, number>>
}

/** The usage that the store keeps. */
export interface UsageConfig {
  /** The file in which usage waits for the store; no other process may have it. Default: `usage.spool` in `dataDir`, else memory. */
  readonly spool?: string
  readonly keepDays?: UsageDaysConfig
}

/** Days for which the store keeps usage. */
export interface UsageDaysConfig {
  /** By minute. Default 7. */
  readonly minutes?: number
  /** By hour. Default 90. */
  readonly hours?: number
  /** By day, at least 32, since the quotas of a month are read from it. Default 800. */
  readonly days?: number
}

/** The receiver of warnings of quotas. */
export interface WebhookConfig {
  readonly url: string
  /** Signs them: text of at least 16 characters; `whsec_` and base64 is the key itself (Standard Webhooks). */
  readonly secret: string
}

const credits = integer('a whole number of credits from 0 to 1,000,000,000,000', 0, 1e12)
const rate = exact<RateRule>('{ credits, burst? }', {
  credits: shown(integer('a whole number of credits a second, from 1 to 10,000,000', 1, 10_000_000)),
  burst: optional(shown(integer('a whole number of credits, from 1 to 1,000,000,000', 1, 1_000_000_000))),
})
const quota = exact<QuotaRule>('{ credits, action?, marks? }', {
  credits: shown(credits),
  action: optional(shown(oneOf('warn', 'stop'))),
  marks: optional(arrayUpTo(10, shown(integer('a whole percentage from 1 to 100', 1, 100)))),
})
const rules: ObjectShape<LimitRules> = { perSecond: optional(rate), perDay: optional(quota) }
const partRules = exact<LimitRules>('{ perSecond?, perDay? }', rules)

/** Checks a plan, as `checkPlan` of `metering` does, but tells every fault with its place. */
export const plan: Schema<Plan> = exact<Plan>(
  '{ perSecond?, perDay?, perMonth?, methods?, perVisitor?, maxFilters? }',
  {
    ...rules,
    perMonth: optional(quota),
    methods: optional(record(partRules, methodPattern)),
    perVisitor: optional(partRules),
    maxFilters: optional(shown(integer('a whole number of filters from 0 to 1,000,000', 0, 1_000_000))),
  },
)

const price = shown(integer('a whole number of credits from 0 to 1,000,000,000', 0, 1_000_000_000))
const priced = stringThat('a method, a prefix that ends in *, or *', (value) => /^(?:[\w/]+\*?|\*)$/.test(value))
const table = optional(record(price, priced))
const pricedMethod = stringThat('a method such as eth_call, a prefix that ends in *, or *', (value) =>
  /^(?:\w*_\w*|\w+\*|\*)$/.test(value),
)
const methodTable = optional(record(price, pricedMethod))

export const prices: Schema<PricesConfig> = exact<PricesConfig>('{ evm?, rollup?, starknet?, gas?, ipfs?, events? }', {
  evm: methodTable,
  rollup: methodTable,
  starknet: methodTable,
  gas: table,
  ipfs: table,
  events: optional(record(price, text('a kind of subscription', /^\w+$/))),
})

/** The days of the longest month, and one in which it may be read. */
const fewestDays = 32

export const usage: Schema<UsageConfig> = exact<UsageConfig>('{ spool?, keepDays? }', {
  spool: optional(shown(text('the path of a file', /^[^\0]+$/))),
  keepDays: optional(
    exact<UsageDaysConfig>('{ minutes?, hours?, days? }', {
      minutes: optional(shown(count)),
      hours: optional(shown(count)),
      days: optional(shown(integer(`a whole number of days, at least ${fewestDays}`, fewestDays))),
    }),
  ),
})

/** Not shown: such URLs often hold a token. */
const receiver = stringThat('an http or https URL without a user', (value) => {
  if (!URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === ''
})

export const webhook: Schema<WebhookConfig> = exact<WebhookConfig>('{ url, secret }', {
  url: receiver,
  secret: text(
    'a secret of at least 16 printable characters; after whsec_, base64',
    /^(?:whsec_[A-Za-z0-9+/]{16,}={0,2}|(?!whsec_)[\x20-\x7e]{16,})$/,
  ),
})
