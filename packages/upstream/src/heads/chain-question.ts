import { type Clock, RpcError } from '@wayleave/jsonrpc-core'
import type { Endpoint } from '../endpoint.ts'
import type { Asker } from './ask.ts'
import type { HeadReader } from './head-reader.ts'

/**
 * The knowledge of an upstream's chain.
 * - `unknown`: not asked yet, or to be asked again after a reconnect.
 * - `right`, `wrong`: it named the expected chain, or another one.
 * - `silent`: it did not answer the question; it stays in use.
 */
export type ChainState = 'unknown' | 'right' | 'wrong' | 'silent'

/** The question that tells the chain of one endpoint, with its last answer. */
export interface ChainQuestion {
  readonly state: ChainState
  /** The chain that it named last, at most 80 characters. */
  readonly chain: string | undefined
  /** Whether it was asked, and has never named any. */
  readonly isNameless: boolean
  /** Why it named no chain when it was asked last, for people; undefined where it did, or was not asked. */
  readonly silence: string | undefined
  /** Whether it answered when it was asked last, if only by an error. */
  readonly hasAnswered: boolean
  /** The time at which it answered last, or failed to, in ms; negative infinity before that. */
  readonly answeredAt: number
  /** The time from which it has to be asked, in ms. */
  readonly dueAt: number
  /** Asks, or joins the question under way. Never rejects. */
  ask(): Promise<void>
  /** Notes a reconnect: the node may be another one. Asked at once, but not more than once in two seconds. */
  doubt(): void
}

/** An answer is not doubted for so long, in ms. */
const trustedMs = 2_000
/** Waiting times after an answer that does not settle it, in ms: doubled each time. */
const soonestRetryMs = 5_000
const latestRetryMs = 60_000

export interface ChainQuestionOptions {
  readonly endpoint: Endpoint
  readonly reader: HeadReader
  readonly asker: Asker
  readonly clock: Clock
}

export function createChainQuestion({ endpoint, reader, asker, clock }: ChainQuestionOptions): ChainQuestion {
  let state: ChainState = 'unknown'
  let chain: string | undefined
  let silence: string | undefined
  let hasAnswered = false
  let dueAt = Number.NEGATIVE_INFINITY
  let answeredAt = Number.NEGATIVE_INFINITY
  let retryMs = soonestRetryMs
  let asking: Promise<void> | undefined
  let isDoubted = false

  async function ask(): Promise<void> {
    isDoubted = false
    dueAt = Number.POSITIVE_INFINITY
    let named: string | undefined
    try {
      const response = await asker.ask(endpoint, 'chain', reader.chainId)
      named = reader.chainOf(response)
      hasAnswered = true
      // A node's own words may be anything.
      const reported = response.error === undefined ? 'something else' : `error ${response.error.code}`
      silence = named === undefined ? `expected chain ${reader.expectedChain}, got ${reported}` : undefined
    } catch (thrown) {
      // The head question tells whether the node is there.
      hasAnswered = false
      silence = thrown instanceof RpcError ? thrown.message : 'the question for its chain failed'
    }
    asking = undefined
    answeredAt = clock.now()
    const before = state
    // A node that named a wrong chain stays out until it names the right one.
    if (named !== undefined) state = named === reader.expectedChain ? 'right' : 'wrong'
    else if (state !== 'wrong') state = 'silent'
    chain = named?.slice(0, 80) ?? chain
    if (state !== 'right') dueAt = answeredAt + retryMs
    retryMs = state === before && state !== 'right' ? Math.min(retryMs * 2, latestRetryMs) : soonestRetryMs
    if (isDoubted) doubt()
  }

  function doubt(): void {
    isDoubted = true
    if (asking !== undefined) return
    const trustedUntil = answeredAt + trustedMs
    dueAt = Math.min(dueAt, Math.max(trustedUntil, clock.now()))
    if (clock.now() >= trustedUntil && state !== 'wrong') state = 'unknown'
  }

  return {
    get state() {
      return state
    },
    get chain() {
      return chain
    },
    get isNameless() {
      return state === 'silent' && chain === undefined
    },
    get silence() {
      return silence
    },
    get hasAnswered() {
      return hasAnswered
    },
    get answeredAt() {
      return answeredAt
    },
    get dueAt() {
      return dueAt
    },
    ask: () => (asking ??= ask()),
    doubt,
  }
}
