import type { PollerPlan, SubscriberPlan } from '../plan.ts'

/** Something that a caller was told, and when, in virtual ms. */
export interface SeenEvent {
  readonly at: number
  readonly result: unknown
}

/** One time of being subscribed, from the answer until the end of the connection. */
export interface SeenSession {
  readonly openedAt: number
  /** The first block that it asked for; undefined: it began with the next one, or went on after a block by its hash. */
  readonly fromBlock: number | undefined
  /** Whether it goes on after the last block of the session before it. */
  readonly goesOn: boolean
  readonly events: SeenEvent[]
  /** Undefined: it lasted until callers left. */
  endedAt: number | undefined
  /** The reason of its close frame, with the code. */
  why: string | undefined
}

/** All that one subscriber was told. */
export interface SeenStream {
  readonly plan: SubscriberPlan
  /** With the chain's values in the place of symbols. */
  readonly filter: Readonly<Record<string, unknown>>
  readonly sessions: SeenSession[]
  /** Subscriptions that were refused. */
  readonly refusals: { readonly at: number; readonly text: string }[]
}

/** All that one poller was told. */
export interface SeenPolls {
  readonly plan: PollerPlan
  readonly filter: Readonly<Record<string, unknown>>
  /** When its filter was made; undefined: it never was. */
  openedAt: number | undefined
  readonly polls: { readonly askedAt: number; readonly at: number; readonly results: readonly unknown[] }[]
  /** Errors of polls. */
  readonly errors: { readonly at: number; readonly text: string }[]
}
