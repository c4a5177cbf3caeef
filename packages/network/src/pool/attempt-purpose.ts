import { defineExtension, type Extension, type RpcRequest } from '@wayleave/jsonrpc-core'
import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'
import { opensSubscription } from '../kinds/method-facts.ts'
import type { CallPurpose } from '../upstreams/upstream-counts.ts'
import { participant } from './consensus.ts'
import { streamQuestion } from '../marks/stream-question.ts'

/** Marks a question of the gateway's own about the chain of the nodes. */
export const chainQuestion: Extension<true> = defineExtension<true>('chainQuestion')

/** Tells the purpose of an attempt of the pool. Calls of the gateway's own that pass the pool are for fees, unless they are marked; they have no lane. */
export function attemptPurpose(
  facts: MethodFacts,
  request: RpcRequest,
  lane: string | undefined,
  isHedge: boolean,
): CallPurpose {
  if (participant.of(request) === 'further') return 'consensus'
  if (isHedge) return 'hedge'
  if (streamQuestion.of(request) === true || opensSubscription(facts, request.method)) return 'stream'
  if (lane === undefined) return chainQuestion.of(request) === true ? 'probe' : 'fee'
  return 'caller'
}
