import type { Verification } from '@wayleave/evm-verify'
import {
  defineExtension,
  type Extension,
  type RpcContext,
  type RpcMiddleware,
  type RpcRequest,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import { consensusOutcome } from '@wayleave/upstream'
import { isWhole } from './is-whole.ts'

/**
 * What was found out about an answer before it was given:
 * - `proven`: its contents hash to a hash that was asked for, or to a block that most nodes of several have.
 * - `agreed`: as many nodes as `consensus.agreement` says gave the same.
 * - `consistent`: it agrees with itself and with the question. A node that lies can make up another that does.
 * - `unchecked`: nothing. The word of one node, or of none.
 */
export type VerifiedMark = 'proven' | 'agreed' | 'consistent' | 'unchecked'

/** Carried by the meta of each answer of a network that verifies or compares answers. */
export const verifiedMark: Extension<VerifiedMark> = defineExtension<VerifiedMark>('verifiedMark')

/** The member of a block that its hash does not cover where it holds hashes alone. */
const list = 'transactions'

export interface MarkVerifiedOptions {
  /** Reads how far an answer is verified. Default: none is. */
  readonly verified?: Extension<Verification> | undefined
  /** Nodes that the network has: with one there is nobody whose word could prove anything about the chain. */
  readonly nodes: number
}

/** Marks each answer. */
export function markVerified({ verified, nodes }: MarkVerifiedOptions): RpcMiddleware<RpcContext> {
  function markOf(request: RpcRequest, { meta, error }: RpcResponse): VerifiedMark {
    if (error !== undefined) return 'unchecked'
    const found = verified?.of(meta)
    const level = found?.level ?? 'unverifiable'
    if (found !== undefined && nodes > 1 && isWhole(request, found) && found.fields[list] !== 'unverifiable')
      return 'proven'
    if (consensusOutcome.of(meta) === 'agreed') return 'agreed'
    return level === 'unverifiable' ? 'unchecked' : 'consistent'
  }

  return (next) => (request, context) =>
    next(request, context).then((response) => ({
      ...response,
      meta: verifiedMark.on(response.meta ?? {}, markOf(request, response)),
    }))
}
