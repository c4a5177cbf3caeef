import { integer, oneOf, record, shown, text, type TypeOf } from '@wayleave/jsonrpc-core/schema'
import {
  arrayUpTo,
  count,
  defaultsOf,
  exact,
  filePath,
  methodPattern,
  required,
  setting,
  stringThat,
} from '@wayleave/network/config'

const credits = integer('a whole number of credits from 0 to 1,000,000,000,000', 0, 1e12)
const rate = exact('{ credits, burst? }', {
  credits: required(
    shown(integer('a whole number of credits a second, from 1 to 10,000,000', 1, 10_000_000)),
    'Credits per second: a whole number from 1 to 10,000,000.',
  ),
  burst: setting(
    shown(integer('a whole number of credits, from 1 to 1,000,000,000', 1, 1_000_000_000)),
    'Credits that a caller who was idle may use at once. Default: those of one second.',
  ),
})
const quota = exact('{ credits, action?, marks? }', {
  credits: shown(credits),
  action: setting(
    shown(oneOf('warn', 'stop')),
    '`stop`: further calls are refused; `warn`: they are only reported.',
    'stop',
  ),
  marks: setting(
    arrayUpTo(10, shown(integer('a whole percentage from 1 to 100', 1, 100))),
    'Percentages that are reported once a period. Default 75, 85, 100.',
  ),
})
const rules = { perSecond: setting(rate, 'Credits of a second.'), perDay: setting(quota, 'Resets at 00:00 UTC.') }
const partRules = exact('{ perSecond?, perDay? }', rules)

/** Checks a plan, as `checkPlan` of `metering` does, but tells every fault with its place. */
export const plan = exact('{ perSecond?, perDay?, perMonth?, methods?, perVisitor?, maxFilters? }', {
  ...rules,
  perMonth: setting(quota, 'Resets on the first of the month, 00:00 UTC.'),
  methods: setting(
    record(partRules, methodPattern),
    'Limits of methods: a name, or a prefix such as `debug_*`, whose methods share them. The name goes before the longest prefix.',
  ),
  perVisitor: setting(partRules, 'Limits of each visitor address.'),
  maxFilters: setting(
    shown(integer('a whole number of filters from 0 to 1,000,000', 0, 1_000_000)),
    'Most filters of `eth_newFilter` and its like that a project may have on a network at a time.',
  ),
})

const price = shown(integer('a whole number of credits from 0 to 1,000,000,000', 0, 1_000_000_000))
const priced = stringThat('a method, a prefix that ends in *, or *', (value) => /^(?:[\w/]+\*?|\*)$/.test(value))
const table = record(price, priced)
const pricedMethod = stringThat('a method such as eth_call, a prefix that ends in *, or *', (value) =>
  /^(?:\w*_\w*[A-Za-z\d]|\w+\*|\*)$/.test(value),
)
const methodTable = record(price, pricedMethod)

export const prices = exact('{ evm?, rollup?, starknet?, jsonrpc?, gas?, ipfs?, events? }', {
  evm: setting(
    methodTable,
    'By method, a prefix such as `debug_*`, or `*`; of all networks of EVM, and of other kinds where these have no price of their own.',
  ),
  rollup: setting(methodTable),
  starknet: setting(methodTable),
  jsonrpc: setting(
    record(
      price,
      stringThat('a method, a prefix that ends in *, or *', (value) => /^(?:[\w.$:/-]+\*?|\*)$/.test(value)),
    ),
  ),
  gas: setting(table, 'By endpoint, such as `suggestedGasFees`.'),
  ipfs: setting(table, 'By command, such as `pin/add`.'),
  events: setting(
    record(price, text('a kind of subscription', /^\w+$/)),
    'Pushed events by the kind of subscription, such as `newHeads`.',
  ),
})

/** The days of the longest month, and one in which it may be read. */
const fewestDays = 32

const days = {
  minutes: setting(shown(count), 'By minute.', 7),
  hours: setting(shown(count), 'By hour.', 90),
  days: setting(
    shown(integer(`a whole number of days, at least ${fewestDays}`, fewestDays)),
    'By day, at least 32, since the quotas of a month are read from it.',
    800,
  ),
}
const keepDays = exact('{ minutes?, hours?, days? }', days)

export const usage = exact('{ spool?, keepDays? }', {
  spool: setting(
    shown(filePath('the path of a file')),
    'The file in which usage waits for the store; no other process may have it. Default: `usage.spool` in `dataDir`, else memory.',
  ),
  keepDays: setting(keepDays, 'Days for which the store keeps usage.'),
})

/** Not shown: such URLs often hold a token. */
const receiver = stringThat('an http or https URL without a user', (value) => {
  if (!URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === ''
})

export const webhook = exact('{ url, secret }', {
  url: receiver,
  secret: required(
    text(
      'a secret of at least 16 printable characters; after whsec_, base64',
      /^(?:whsec_[A-Za-z0-9+/]{16,}={0,2}|(?!whsec_)[\x20-\x7e]{16,})$/,
    ),
    'Signs them: text of at least 16 characters; `whsec_` and base64 is the key itself (Standard Webhooks).',
  ),
})

/** Days for which the store keeps usage. */
export type UsageDaysConfig = TypeOf<typeof keepDays>

/** The receiver of warnings of quotas. */
export type WebhookConfig = TypeOf<typeof webhook>

export const usageDaysDefaults = defaultsOf(days)
