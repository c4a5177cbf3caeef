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
import { hintsOf } from '../hints/call-hints.ts'
import { isWhole } from './is-whole.ts'

/**
 * The checks that an answer has passed before it was given:
 * - `proven`: its contents hash to a hash that the caller named, or to a block that most nodes of several have.
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

/**
 * Whether the caller named the hash of what they asked for. Elsewhere the gateway may have chosen a block by the word of one node, so that its
 * hash shows the contents of the block and no more.
 */
function namesHash(request: RpcRequest): boolean {
  if (request.params === undefined || hintsOf(request).isPinned) return false
  const args = request.params.value()
  if (!Array.isArray(args)) return false
  return isHash(args[0]) || args.some((arg) => isHash((Object(arg) as { readonly blockHash?: unknown }).blockHash))
}

function isHash(value: unknown): boolean {
  return typeof value === 'string' && /^0x[\da-f]{64}$/i.test(value)
}

/** Marks each answer. */
export function markVerified({ verified, nodes }: MarkVerifiedOptions): RpcMiddleware<RpcContext> {
  function isProven(request: RpcRequest, found: Verification): boolean {
    if (nodes < 2 || !isWhole(request, found) || found.fields[list] === 'unverifiable') return false
    return found.anchor !== 'question' || namesHash(request)
  }

  function markOf(request: RpcRequest, { meta, error }: RpcResponse): VerifiedMark {
    const found = error === undefined ? verified?.of(meta) : undefined
    if (found !== undefined && isProven(request, found)) return 'proven'
    if (error === undefined && consensusOutcome.of(meta) === 'agreed') return 'agreed'
    return found === undefined || found.level === 'unverifiable' ? 'unchecked' : 'consistent'
  }

  return (next) => (request, context) =>
    next(request, context).then((response) => ({
      ...response,
      meta: verifiedMark.on(response.meta ?? {}, markOf(request, response)),
    }))
}
