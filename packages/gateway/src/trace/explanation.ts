import type { CallOutcome } from './call-record.ts'

/** One attempt at an upstream, for people and programs. */
export interface ExplainedAttempt {
  readonly upstream: string
  /** When it began, in ms after the call did. */
  readonly atMs: number
  /** Undefined where it had no end of its own. */
  readonly ms: number | undefined
  /** Whether another attempt was on its way when it began. */
  readonly isHedge: boolean
  /** `answered`, the kind of its failure, or `given_up`. */
  readonly outcome: string
  readonly text: string
}

/** An upstream that was not asked like the others. */
export interface ExplainedCandidate {
  readonly upstream: string
  readonly reason: string
  readonly text: string
}

/** The fate of one call, and why: the answer to `GET /explain/<id>`. It holds no params, no key and no URL. */
export interface Explanation {
  readonly id: string
  /** ISO 8601. */
  readonly time: string
  /** These four are undefined for a request that was refused before it was read. */
  readonly network: string | undefined
  readonly method: string | undefined
  readonly project: string | undefined
  readonly keyId: string | undefined
  readonly outcome: CallOutcome
  /** The HTTP status of a request that was refused; the code of an error. */
  readonly code: number | string | undefined
  /** One sentence. */
  readonly cause: string
  readonly ms: number
  /** The one that gave the answer. */
  readonly upstream: string | undefined
  readonly attempts: readonly ExplainedAttempt[]
  readonly candidates: readonly ExplainedCandidate[]
  readonly cache: string | undefined
  readonly verification: string | undefined
  /** Time for which it waited for an upstream with room for it, in ms. */
  readonly queuedMs: number | undefined
  /** The call whose answer it shared: its attempts are told. */
  readonly sharedWith: string | undefined
}
