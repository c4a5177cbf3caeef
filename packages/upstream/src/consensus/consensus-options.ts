import {
  type Clock,
  defineExtension,
  type Extension,
  type RpcContext,
  type RpcHandler,
  type RpcRequest,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import type { MethodClass } from '../health/class-health.ts'
import type { Candidate } from '../selection/candidate.ts'
import type { ComparisonOptions } from './ballot.ts'

/** The number of upstreams that are asked, and what is done with their answers. */
export interface ConsensusRules {
  /** Upstreams that are asked at once, and are to answer; one that fails, or is silent for long, is replaced by the next. */
  readonly participants: number
  /** Equal answers that make the answer, from 2 to `participants`. */
  readonly agreement: number
  /**
   * The answer where too few are equal: one that was verified, that of an upstream which has the served head, or an error; an error where
   * there is no such answer, too. Default `error`.
   */
  readonly onDispute?: 'verified' | 'head' | 'error' | undefined
}

/**
 * How a call has ended: `agreed`; `verified` or `head`: a dispute that this has decided; `disputed`: one that is an error; `too_few`:
 * too few answered, which is an error; `failed`: nobody answered.
 */
export type ConsensusOutcome = 'agreed' | 'verified' | 'head' | 'disputed' | 'too_few' | 'failed'

/** Carried by the meta of an answer that several upstreams were asked for. */
export const consensusOutcome: Extension<ConsensusOutcome> =
  /*#__PURE__*/ defineExtension<ConsensusOutcome>('consensusOutcome')

export interface ConsensusOptions extends ComparisonOptions, ConsensusRules {
  /** Asks upstreams. */
  readonly pool: RpcHandler
  readonly clock: Clock
  /** Whether a call is for several upstreams; any other one goes to the pool as it is. */
  readonly isSubject: (request: RpcRequest) => boolean
  /** Has a call ask at one block, so that no upstream answers at another one; undefined: it stays as it is. Default: none is pinned. */
  readonly pin?: (request: RpcRequest, context: RpcContext) => Promise<RpcRequest | RpcResponse> | undefined
  /** Candidates for a call, first choice first. Of those of one node, one is asked. */
  readonly order: (request: RpcRequest, context: RpcContext) => readonly Candidate[]
  /** Makes the call that only one upstream is asked; `isExtra`: another one was asked before. */
  readonly askOnly: (request: RpcRequest, candidate: Candidate, isExtra: boolean) => RpcRequest
  readonly classOf: (request: RpcRequest) => MethodClass
  /** Whether an answer means that its upstream cannot give one, so that another one is asked. */
  readonly isRefusal: (request: RpcRequest, response: RpcResponse, candidate: Candidate) => boolean
  /** Whether an answer was verified, for `onDispute`. Default: none is. */
  readonly isVerified?: (response: RpcResponse) => boolean
  /** Whether an upstream has the served head, for `onDispute`. Default: none has. */
  readonly hasHead?: (candidate: Candidate) => boolean
  /** Called with each upstream whose result differs from the agreed one, at most once a call: it is false, unless lag or a fork explains it. */
  readonly onDiffers?: (candidate: Candidate, request: RpcRequest) => void
  /** Called once for each call that was one for several upstreams. */
  readonly onOutcome?: (outcome: ConsensusOutcome, request: RpcRequest) => void
  /** Time for which answers that come after the agreement are waited for, to find those that differ, in ms. Default 2,000. */
  readonly lateMs?: number | undefined
}
