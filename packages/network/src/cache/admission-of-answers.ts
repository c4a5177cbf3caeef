import type { Verification } from '@wayleave/evm-verify'
import type { Extension, RpcRequest } from '@wayleave/jsonrpc-core'
import type { CachedQuestion, WholeResult } from '@wayleave/rpc-cache'
import { consensusOutcome } from '@wayleave/upstream'
import type { CacheKind } from '../kinds/cache-kind.ts'
import type { NetworkKind } from '../kinds/network-kind.ts'
import { isWhole } from '../verification/is-whole.ts'
import { ofTheMoment } from './ask-pinned.ts'
import type { ServedChain } from './served-chain.ts'

export interface AnswerAdmissionOptions {
  readonly kind: Pick<NetworkKind, 'chainIdMethod' | 'expectedChain'>
  readonly cache: CacheKind
  /** The chain that its nodes have to name, as `expectedChain` prints it. */
  readonly expectedChain: string
  /** Undefined: heads are not followed. */
  readonly chain: ServedChain | undefined
  /** Reads how far an answer is verified. Undefined: those of no upstream are. */
  readonly verified: Extension<Verification> | undefined
  /** Whether answers are kept that no proof covers, where others are verified. */
  readonly keepsUnproven: boolean
  /** Whether a block hashes to its name. Default: name and shape decide. */
  readonly isHashed?: ((block: Readonly<Record<string, unknown>>) => boolean) | undefined
}

/** Methods whose answers a proof covers: they are kept only with one. */
const provable =
  /^eth_get(?:Block(?:(?:TransactionCount)?By(?:Number|Hash)|Receipts|AccessList)|HeaderBy(?:Number|Hash)|Transaction(?:Receipt|Count|By.*)|RawTransaction.*|Uncle.*|Logs|Balance|Code|StorageAt|Proof)$/

/** Makes the function that tells whether an answer may be kept. */
export function answerAdmission(
  options: AnswerAdmissionOptions,
): (request: RpcRequest, question: CachedQuestion, response: WholeResult, isFinal: boolean) => boolean {
  const { kind, cache, expectedChain, chain, verified, keepsUnproven, isHashed = () => true } = options

  /** Whether the endpoint that gave an answer has the chain that the answer is to be of. */
  function isOfServedChain(
    request: RpcRequest,
    { life }: CachedQuestion,
    response: WholeResult,
    isFinal: boolean,
  ): boolean {
    const endpoint = response.meta?.endpoint
    if (chain === undefined) return life.of === 'params' || life.of === 'block'
    if (endpoint === undefined) return false
    switch (life.of) {
      case 'head':
        return life.at.hash !== undefined && chain.isHeadOf(endpoint, life.at.hash)
      case 'answer': {
        const place = cache.positionOf(request, response.result)
        if (place === undefined || !chain.isGood(endpoint)) return false
        const hash = chain.hashAt(place.number)
        return hash === undefined ? isFinal : hash === place.hash
      }
      // An endpoint may stand good without the last blocks, and of a range nodes give the part that they have.
      case 'numbers':
        return chain.isGood(endpoint) && chain.hasReached(endpoint, life.to)
      default:
        return chain.isGood(endpoint)
    }
  }

  return (request, question, response, isFinal) => {
    const { result, meta } = response
    if (ofTheMoment.of(meta) === true || cache.isUnsound(request, result)) return false
    if (request.method === kind.chainIdMethod && result.text() !== `"${expectedChain}"`) return false
    const outcome = consensusOutcome.of(meta)
    if (outcome !== undefined && outcome !== 'agreed' && outcome !== 'verified') return false
    const found = verified?.of(meta)
    const isProven = found !== undefined && isWhole(request, found)
    if (verified !== undefined && !isProven && (provable.test(request.method) || !keepsUnproven)) return false
    if (!isFinal && !isProven && cache.isEmpty(result)) return false
    if (!isOfServedChain(request, question, response, isFinal)) return false
    return cache.isNamed(request, question.life, result, isHashed)
  }
}
