import {
  isStream,
  rawJsonFromValue,
  type RpcContext,
  RpcError,
  type RpcHandler,
  type RpcRequest,
  type RpcResult,
  toRpcError,
} from '@wayleave/jsonrpc-core'

export interface RollupNodeOptions {
  readonly l1: RpcHandler
  readonly l2: RpcHandler
}

interface BlockRef {
  readonly hash: string
  readonly number: number
  readonly parentHash: string
  readonly timestamp: number
}

interface Heads {
  readonly latest: BlockRef
  readonly safe: BlockRef
  readonly finalized: BlockRef
}

const zeroHash = `0x${'0'.repeat(64)}`
/** The head that op-node shows while it knows none. */
const unknownBlock: BlockRef = { hash: zeroHash, number: 0, parentHash: zeroHash, timestamp: 0 }

/**
 * Stands in for op-node over two chains. Answers `optimism_syncStatus` in op-node's shape, with plain integers, from the
 * heads that both chains have at that moment. The origin of an L2 block is the L1 head of the same tag (latest, safe,
 * finalized), and its sequence number is 0. An error of either chain is passed on; other methods get -32601.
 */
export function createRollupNode({ l1, l2 }: RollupNodeOptions): RpcHandler {
  return async ({ method }, context) => {
    if (method !== 'optimism_syncStatus') {
      return { error: { code: -32601, message: `the method ${method} does not exist/is not available` } }
    }
    const fork = context.fork({ acceptStream: false })
    try {
      const responses = await Promise.all([...askHeads(l1, fork.context), ...askHeads(l2, fork.context)])
      const refs: BlockRef[] = []
      for (const response of responses) {
        if (response.error !== undefined) return { error: response.error }
        refs.push(readRef(response))
      }
      return { result: rawJsonFromValue(syncStatus(toHeads(refs.slice(0, 3)), toHeads(refs.slice(3)))) }
    } catch (thrown) {
      // After one failed call nobody waits for the others.
      fork.cancel(toRpcError(thrown, 'unavailable', 'a head could not be read'))
      throw thrown
    } finally {
      fork.release()
    }
  }
}

const requests: readonly RpcRequest[] = ['latest', 'safe', 'finalized'].map((tag) => ({
  method: 'eth_getBlockByNumber',
  params: rawJsonFromValue([tag, false]),
  notification: false,
}))

function askHeads(chain: RpcHandler, context: RpcContext): ReturnType<RpcHandler>[] {
  return requests.map((request) => chain(request, context))
}

function toHeads([latest, safe, finalized]: readonly BlockRef[]): Heads {
  return { latest: latest!, safe: safe!, finalized: finalized! }
}

function readRef({ result }: RpcResult): BlockRef {
  if (isStream(result)) throw new RpcError('invalid_response', 'a whole block was expected, not a stream')
  const block = result.value() as Record<string, unknown> | null
  if (block === null) return unknownBlock
  const { hash, number, parentHash, timestamp } = block
  if (
    typeof hash !== 'string' ||
    typeof number !== 'string' ||
    typeof parentHash !== 'string' ||
    typeof timestamp !== 'string'
  ) {
    throw new RpcError('invalid_response', 'a block with hash, number, parentHash and timestamp was expected')
  }
  return { hash, number: Number(number), parentHash, timestamp: Number(timestamp) }
}

function syncStatus(l1: Heads, l2: Heads): object {
  const unsafe = withOrigin(l2.latest, l1.latest)
  const safe = withOrigin(l2.safe, l1.safe)
  return {
    current_l1: l1.latest,
    current_l1_finalized: l1.finalized,
    head_l1: l1.latest,
    safe_l1: l1.safe,
    finalized_l1: l1.finalized,
    unsafe_l2: unsafe,
    safe_l2: safe,
    finalized_l2: withOrigin(l2.finalized, l1.finalized),
    pending_safe_l2: safe,
    cross_unsafe_l2: unsafe,
    local_safe_l2: safe,
  }
}

function withOrigin(block: BlockRef, { hash, number }: BlockRef): object {
  return { ...block, l1origin: { hash, number }, sequenceNumber: 0 }
}
