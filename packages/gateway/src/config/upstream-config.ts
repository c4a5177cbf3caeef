import type { VerificationLevel } from '@wayleave/evm-verify'
import type { Tier } from '@wayleave/upstream'

/** One node, or one account of a provider. */
export interface UpstreamConfig {
  readonly url: string
  /** A ws(s) URL of the same node, beside an http(s) `url`: it carries the subscriptions, `url` all other calls. */
  readonly ws?: string
  /** For logs and metrics. Default `upstream-1`, `upstream-2` and so on. */
  readonly name?: string
  readonly headers?: Readonly<Record<string, string>>
  /** A fallback is asked when no primary can take a call. Default `primary`. */
  readonly tier?: Tier
  /** Its part of the calls among upstreams that are alike good. Default 1. */
  readonly weight?: number
  /** A price of 1 makes it count as twice as slow, one of 2 as three times. Default 0; 3 where there is a `budget`. */
  readonly price?: number
  /** Whether it is asked only for calls of projects whose `transactions` are `private`. Default false. */
  readonly private?: boolean
  /** The names by which projects choose upstreams. */
  readonly groups?: readonly string[]
  readonly methods?: UpstreamMethodsConfig
  /** Default: no bound, and nothing is counted. */
  readonly budget?: UpstreamBudgetConfig
  /** Whether it is asked from time to time how far back it has the history. Default true, and false where it has a `price` or a `budget`. */
  readonly probe?: boolean
  /** Overrides that of the network. */
  readonly verify?: VerificationLevel
}

/** Names of methods, or prefixes that end in `*`, in any case. */
export interface UpstreamMethodsConfig {
  /** Asks it for these only. Default: for all. */
  readonly allow?: readonly string[]
  /** Does not ask it for these, also where they are allowed. Default: none. */
  readonly deny?: readonly string[]
}

/** The bounds of a provider's plan, in its own units. */
export interface UpstreamBudgetConfig {
  readonly perSecond?: number
  /** From midnight UTC. */
  readonly perDay?: number
  /** A calendar month, UTC. */
  readonly perMonth?: number
  /** Units of a call by method: names, prefixes such as `debug_*`, or `*` for all others. Default: 1 each. */
  readonly prices?: Readonly<Record<string, number>>
}

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
export function isSocketUrl(url: string): boolean {
  return /^wss?:/i.test(url)
}
