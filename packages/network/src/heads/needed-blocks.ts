import { isStream, type RpcRequest, type RpcResponse } from '@wayleave/jsonrpc-core'
import type { Position } from '@wayleave/upstream'
import type { NetworkKind } from '../kinds/network-kind.ts'

/** The blocks that calls need, among those that callers were told of. */
export interface NeededBlocks {
  /** The height that an upstream has to have for a call; undefined where any will do. */
  heightFor(request: RpcRequest): number | undefined
  /** The same, by all that is known now. */
  needed(request: RpcRequest): number | undefined
  /** The height of a block that callers were told of of late, by its hash. */
  heightOf(hash: string): number | undefined
  remember(position: Pick<Position, 'number' | 'hash'>): void
  forget(hash: string): void
}

export interface NeededBlocksOptions {
  readonly kind: Pick<NetworkKind, 'facts' | 'needs'>
  /** Whether one node is all there is: nobody else could have what it lacks. */
  readonly isAlone: boolean
  /** The highest block that callers were told of; undefined while none is known. */
  readonly served: () => number | undefined
}

/** Heads whose heights are remembered. */
const mostRemembered = 128

/** Whether an answer has found nothing. */
export function isNull({ result }: RpcResponse): boolean {
  return result !== undefined && !isStream(result) && result.byteLength === 4 && result.text() === 'null'
}

export function createNeededBlocks({ kind, isAlone, served }: NeededBlocksOptions): NeededBlocks {
  /** The heights of the last heads that were told, by hash; the oldest first. */
  const heights = new Map<string, number>()
  /** The call that was looked at last, since each candidate is asked about it. */
  let lastRequest: RpcRequest | undefined
  let lastHeight: number | undefined

  function heightFor(request: RpcRequest): number | undefined {
    if (isAlone) return undefined
    if (request === lastRequest) return lastHeight
    const need = kind.needs(request)
    const top = served()
    lastRequest = request
    if (need === undefined || top === undefined) lastHeight = undefined
    // A block that callers were told of; any other one may be anywhere.
    else if ('hash' in need) lastHeight = heights.get(need.hash)
    else if ('tag' in need) lastHeight = need.tag === 'latest' || need.tag === 'pending' ? top : undefined
    else if (need.atLeast <= top) lastHeight = need.atLeast
    // Beyond the served head nobody may have it, and all are asked. Of a range nodes give the part that they have, and do not tell.
    else lastHeight = kind.facts[request.method]?.cache === 'range' ? top : undefined
    return lastHeight
  }

  return {
    heightFor,
    needed(request) {
      lastRequest = undefined
      return heightFor(request)
    },
    heightOf: (hash) => heights.get(hash),
    remember({ number, hash }) {
      heights.delete(hash)
      if (heights.size >= mostRemembered) heights.delete(heights.keys().next().value!)
      heights.set(hash, number)
    },
    forget: (hash) => void heights.delete(hash),
  }
}
