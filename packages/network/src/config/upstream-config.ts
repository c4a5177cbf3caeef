import {
  array,
  boolean,
  choice,
  nonEmptyArray,
  oneOf,
  record,
  type Schema,
  shown,
  text,
  type TypeOf,
} from '@wayleave/jsonrpc-core/schema'
import { filePath, filled, headers, methodPattern, name, numberThat, url } from './schema-parts.ts'
import { exact, setting } from './setting.ts'

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

const methods = exact('{ allow?, deny? }', {
  allow: setting(nonEmptyArray(shown(methodPattern)), 'Asks it for these only. Default: for all.'),
  deny: setting(
    filled(array(shown(methodPattern))),
    'Does not ask it for these, also where they are allowed. Default: none.',
  ),
})

const budget = exact('{ perSecond?, perDay?, perMonth?, prices? }', {
  perSecond: setting(shown(units)),
  perDay: setting(shown(units), 'From midnight UTC.'),
  perMonth: setting(shown(units), 'A calendar month, UTC.'),
  prices: setting(
    record(shown(price), patternOrAll),
    'Units of a call by method: names, prefixes such as `debug_*`, or `*` for all others. Default: 1 each.',
  ),
})

const batch = exact('{ max }', {
  max: setting(
    shown(
      numberThat('a whole number from 1 up', (it) => Number.isInteger(it) && it > 0, { minimum: 1, multipleOf: 1 }),
    ),
    'Most calls of one request; 1 forbids batches.',
  ),
})

const pem = filePath('the path of a PEM file, or PEM text')
const tls = exact('{ cert?, key?, ca? }', {
  cert: setting(pem, "The gateway's certificate, for nodes that ask for one, beside `key`."),
  key: setting(pem, 'The private key of `cert`, without a passphrase.'),
  ca: setting(pem, "The authorities whose certificates are trusted, in place of the system's."),
})

const members = {
  url: anyUrl,
  ws: setting(
    socketUrl,
    'A ws(s) URL of the same node, beside an http(s) `url`: it carries the subscriptions, `url` all other calls.',
  ),
  name: setting(name, 'For logs and metrics. Default `upstream-1`, `upstream-2` and so on.'),
  headers: setting(headers),
  compress: setting(
    shown(boolean),
    'Whether it is asked over HTTP for compressed answers (gzip). Default true for an https `url`, else false.',
  ),
  batch: setting(
    batch,
    "The batches in which reads of a caller's batch are sent to an http(s) `url`. Default: up to 100 calls, and fewer where it refuses so many or its calls are slow.",
  ),
  proxy: setting(
    url('the http or https URL of a proxy', ['http:', 'https:']),
    'The proxy on the way to it; `user:password@` is sent to the proxy. Default: that of `HTTPS_PROXY` or `HTTP_PROXY` in the environment, unless `NO_PROXY` names the host.',
  ),
  tls: setting(tls, 'TLS of connections to it. Default: no certificate is shown, and public authorities are trusted.'),
  tier: setting(shown(oneOf('primary', 'fallback')), 'A fallback is asked when no primary can take a call.', 'primary'),
  weight: setting(shown(weight), 'Its part of the calls among upstreams that are alike good.', 1),
  price: setting(
    shown(price),
    'A price of 1 makes it count as twice as slow, one of 2 as three times. Default 0; 3 where there is a `budget`.',
  ),
  private: setting(
    shown(boolean),
    'Whether it is asked only for calls of projects whose `transactions` are `private`.',
    false,
  ),
  groups: setting(array(shown(name)), 'The names by which projects choose upstreams.'),
  methods: setting(methods, 'Names of methods, or prefixes that end in `*`, in any case. Default: all.'),
  budget: setting(
    budget,
    "The bounds of a provider's plan, in its own units. Default: no bound, and nothing is counted.",
  ),
  probe: setting(
    shown(boolean),
    'Whether it is asked from time to time how far back it has the history. Default true, and false where it has a `price` or a `budget`.',
  ),
}

export const verify = shown(oneOf('off', 'consistent', 'proven'))
const verifiable = exact('{ url }', { ...members, verify: setting(verify, 'Overrides that of the network.') })

/** An upstream whose answers can be verified. */
export const upstreamSchema = urlOr(verifiable)

/** An upstream whose answers cannot be verified, for the reason given. */
export function unverifiedUpstream(reason: string): Schema<string | Omit<UpstreamConfig, 'verify'>> {
  return urlOr(exact('{ url }', members, { verify: reason }))
}

function urlOr<T extends object>(described: Schema<T>): Schema<string | T> {
  return choice('a URL or { url }', (value) => (typeof value === 'string' ? anyUrl : described), [anyUrl, described])
}

/** One node, or one account of a provider. */
export type UpstreamConfig = TypeOf<typeof verifiable>

/** The gateway's end of TLS with an upstream: PEM texts, or paths relative to the working directory. */
export type UpstreamTlsConfig = TypeOf<typeof tls>

/** The bounds of a provider's plan, in its own units. */
export type UpstreamBudgetConfig = TypeOf<typeof budget>

/** An upstream with its name. */
export type NamedUpstream = UpstreamConfig & { readonly name: string }

/** Reads the settings of the upstream at `index`, which may be given by its URL alone. */
export function namedUpstream(upstream: string | UpstreamConfig, index: number): NamedUpstream {
  const settings = typeof upstream === 'string' ? { url: upstream } : upstream
  return { ...settings, name: settings.name ?? upstreamName(index) }
}

/** Names an upstream that has no name of its own by its place. */
export function upstreamName(index: number): string {
  return `upstream-${index + 1}`
}

/** Tells a ws or wss URL. */
export function isSocketUrl(address: string): boolean {
  return /^wss?:/i.test(address)
}
