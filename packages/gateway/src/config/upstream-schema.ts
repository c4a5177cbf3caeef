import {
  array,
  boolean,
  choice,
  nonEmptyArray,
  type ObjectShape,
  oneOf,
  optional,
  record,
  type Schema,
  shown,
  text,
} from '@wayleave/jsonrpc-core/schema'
import type { VerificationLevel } from '@wayleave/evm-verify'
import type { Tier } from '@wayleave/upstream'
import { methodPattern, exact, filled, headers, name, numberThat, url } from './schema-parts.ts'
import type { UpstreamBudgetConfig, UpstreamConfig, UpstreamMethodsConfig } from './upstream-config.ts'

const anyUrl = url('an http, https, ws or wss URL', ['http:', 'https:', 'ws:', 'wss:'])
const socketUrl = url('a ws or wss URL', ['ws:', 'wss:'])

const above0 = { exclusiveMinimum: 0 }
const weight = numberThat(
  'a number above 0 (to leave an upstream alone, cordon or remove it)',
  (value) => value > 0,
  above0,
)
const price = numberThat('a number from 0 up', (value) => value >= 0, { minimum: 0 })
const units = numberThat(
  'a number of units above 0 (to leave an upstream alone, cordon or remove it)',
  (it) => it > 0,
  above0,
)
const patternOrAll = text('a method name, a prefix that ends in *, or *', /^(?:\w+\*?|\*)$/)

const methods = exact<UpstreamMethodsConfig>('{ allow?, deny? }', {
  allow: optional(nonEmptyArray(shown(methodPattern))),
  deny: optional(filled(array(shown(methodPattern)))),
})

const budget = exact<UpstreamBudgetConfig>('{ perSecond?, perDay?, perMonth?, prices? }', {
  perSecond: optional(shown(units)),
  perDay: optional(shown(units)),
  perMonth: optional(shown(units)),
  prices: optional(record(shown(price), patternOrAll)),
})

type Unverified = Omit<UpstreamConfig, 'verify'>

const members: ObjectShape<Unverified> = {
  url: anyUrl,
  ws: optional(socketUrl),
  name: optional(name),
  headers: optional(headers),
  tier: optional(shown(oneOf<Tier>('primary', 'fallback'))),
  weight: optional(shown(weight)),
  price: optional(shown(price)),
  private: optional(shown(boolean)),
  groups: optional(array(shown(name))),
  methods: optional(methods),
  budget: optional(budget),
  probe: optional(shown(boolean)),
}

export const verify: Schema<VerificationLevel> = shown(oneOf('off', 'consistent', 'proven'))

/** An upstream whose answers can be verified. */
export const upstream: Schema<string | UpstreamConfig> = urlOr(
  exact<UpstreamConfig>('{ url }', { ...members, verify: optional(verify) }),
)

/** An upstream whose answers cannot be verified, for the reason given. */
export function unverifiedUpstream(reason: string): Schema<string | Unverified> {
  return urlOr(exact<Unverified>('{ url }', members, { verify: reason }))
}

function urlOr<T extends object>(described: Schema<T>): Schema<string | T> {
  return choice('a URL or { url }', (value) => (typeof value === 'string' ? anyUrl : described), [anyUrl, described])
}
