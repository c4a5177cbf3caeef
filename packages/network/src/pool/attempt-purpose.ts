import type { RpcRequest } from '@wayleave/jsonrpc-core'
import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'
import { opensSubscription } from '../kinds/method-facts.ts'
import type { CallPurpose } from '../upstreams/upstream-counts.ts'
import { hintsOf } from '../hints/call-hints.ts'

/** Tells the purpose of an attempt of the pool. Calls of the gateway's own that pass the pool are for fees, unless they are marked; they have no tenant. */
export function attemptPurpose(
  facts: MethodFacts,
  request: RpcRequest,
  tenant: string | undefined,
  isHedge: boolean,
): CallPurpose {
  const { compared, isOfStream, isAboutChain } = hintsOf(request)
  if (compared === 'further') return 'consensus'
  if (isHedge) return 'hedge'
  if (isOfStream || opensSubscription(facts, request.method)) return 'stream'
  if (tenant === undefined) return isAboutChain ? 'probe' : 'fee'
  return 'caller'
}
