import type { Clock, RpcRequest, RpcResponse } from '@wayleave/jsonrpc-core'
import {
  type CallReason,
  createExaminer,
  createHistory,
  type Endpoint,
  type ExaminerOptions,
  type FailureKind,
} from '@wayleave/upstream'
import type { HistoryKind, HistoryRead } from '../networks/history-kind.ts'
import { createKnownTransactions } from './known-transactions.ts'

/** The knowledge of which upstream has which part of the chain's history. */
export interface Capabilities {
  /** Whether an upstream is known to lack what a call reads. */
  excludes(endpoint: Endpoint, request: RpcRequest): CallReason | undefined
  /** Whether no other upstream is more likely to have what a call reads. */
  prefers(endpoint: Endpoint, request: RpcRequest): boolean
  /** Whether an answer that has found nothing may have missed something that another upstream has. Undefined: it reads no history. */
  isMissing(endpoint: Endpoint, request: RpcRequest, response: RpcResponse): boolean | undefined
  /** Whether an answer shows that its upstream lacks the block that a call needs: one to a call by name would be of another block. */
  showsLack(request: RpcRequest): boolean
  /** The height of a block near the head that callers were told of, and an answer does not have; undefined: it is none such. */
  lacksTold(request: RpcRequest, response: RpcResponse): number | undefined
  /** Returns the answer, or an error in place of one that has found nothing where its upstream has nothing. */
  truthful(request: RpcRequest, response: RpcResponse): RpcResponse
  answered(endpoint: Endpoint, request: RpcRequest, response: RpcResponse): void
  failed(endpoint: Endpoint, request: RpcRequest, kind: FailureKind): void
  /** The oldest block by resource, where it is known; undefined: nothing is. */
  oldestOf(endpoint: Endpoint): Readonly<Record<string, number>> | undefined
  /** Notes that there is a caller. */
  wanted(): void
  close(): void
}

export interface CapabilitiesOptions {
  readonly kind: HistoryKind
  /** Several, as they are asked by the gateway itself. */
  readonly endpoints: readonly Endpoint[]
  /** Whether an upstream may be asked for its history now. */
  readonly mayExamine: (endpoint: Endpoint) => boolean
  /** The highest block that callers were told of; undefined while none is known. */
  readonly served: () => number | undefined
  /** The last known height of an upstream. */
  readonly heightOf: (endpoint: Endpoint) => number | undefined
  /** Whether that height was told within the time of a block. */
  readonly isFresh: (endpoint: Endpoint) => boolean
  /** The height of a block that callers were told of, by its hash. */
  readonly heightOfBlock: (hash: string) => number | undefined
  readonly clock: Clock
  readonly onAsk: NonNullable<ExaminerOptions['onAsk']>
}

/** The answer where an upstream has nothing so old, in geth's words. Source: go-ethereum `core/history`, execution-apis. */
const pruned = { code: 4444, message: 'pruned history unavailable' }
/** An upstream that has this block has all: the first one is everywhere. */
const first = 1
/** Blocks so near below the head are not yet everywhere. */
const nearHead = 64

/** Whether to have found nothing means that the upstream lacks the block: an empty list may be all that the block has. */
const isMissed = ({ isCertain }: HistoryRead, nothing: 'null' | 'empty'): boolean => isCertain && nothing === 'null'

export function createCapabilities(options: CapabilitiesOptions): Capabilities {
  const { kind, endpoints, served, heightOf, isFresh, clock } = options
  const { transactions: index } = kind
  const resources = Object.keys(kind.resources)
  const history = createHistory({ needs: kind.resources, head: served, clock })
  const transactions = createKnownTransactions()
  const examiner = createExaminer({
    endpoints,
    clock,
    onAsk: options.onAsk,
    async examine(endpoint, ask) {
      const { name } = endpoint
      const head = served()
      if (head === undefined || !options.mayExamine(endpoint)) return
      await kind.examine(ask, head, {
        told: (resource, retention) => history.told(name, resource, retention),
        served: (resource, block) => history.served(name, resource, block),
        lacked: (resource, block) => history.lacked(name, resource, block),
      })
    },
  })
  /** The call that was looked at last, since each candidate is asked about it. */
  let lastRequest: RpcRequest | undefined
  let lastRead: HistoryRead | undefined

  function readOf(request: RpcRequest): HistoryRead | undefined {
    if (request === lastRequest) return lastRead
    lastRequest = request
    lastRead = located(kind.reads(request))
    return lastRead
  }

  /** Puts the height of a block or a transaction in place of its hash, where it is known. */
  function located(read: HistoryRead | undefined): HistoryRead | undefined {
    if (read === undefined || 'block' in read) return read
    const { resource, hash, isCertain } = read
    const block = resource === index ? transactions.blockOf(hash) : options.heightOfBlock(hash)
    return block === undefined || block === 0 ? read : { resource, block, isCertain }
  }

  /** The part that a call reads by its height, if there is something to answer wherever the block is there. */
  function heightRead(request: RpcRequest) {
    const read = kind.reads(request)
    return read !== undefined && 'block' in read && read.isCertain ? read : undefined
  }

  /** Whether an upstream has what a call reads; by an unknown hash: all that there is. */
  function has({ name }: Endpoint, read: HistoryRead): boolean | undefined {
    if ('block' in read) return history.has(name, read.resource, read.block)
    const hasAll = history.has(name, read.resource, first)
    if (hasAll !== undefined || history.isWhole) return hasAll
    // A node that prunes anything may well prune this, too.
    return resources.some((resource) => history.has(name, resource, first) === false) ? false : undefined
  }

  /** Whether another upstream is known to have more than one, or it lacks something that the other may have. */
  function isSurpassed(endpoint: Endpoint, read: HistoryRead): boolean {
    const own = has(endpoint, read)
    if (own === true) return false
    return endpoints.some((other) => {
      if (other.name === endpoint.name) return false
      const there = has(other, read)
      return there === true || (own === false && there === undefined)
    })
  }

  /** Whether an upstream is known to stand at the served head. */
  function isAtHead(endpoint: Endpoint): boolean {
    const height = heightOf(endpoint)
    return height !== undefined && height >= (served() ?? 0) && isFresh(endpoint)
  }

  function isMissing(endpoint: Endpoint, request: RpcRequest, response: RpcResponse): boolean | undefined {
    const nothing = kind.nothingIn(request, response)
    if (nothing === undefined) return false
    const read = readOf(request)
    if (read === undefined) return undefined
    const top = served()
    if ('block' in read) {
      if (has(endpoint, read) === false) return true
      if (top === undefined || read.block > top) return false
      return isMissed(read, nothing) || (heightOf(endpoint) ?? 0) < read.block || isSurpassed(endpoint, read)
    }
    if (top === undefined) return false
    const isAccepted = read.resource === index && transactions.blockOf(read.hash) === 0
    // What waits is in no receipt, and is found where it was sent to.
    if (isAccepted) return request.method !== 'eth_getTransactionReceipt' || !isAtHead(endpoint)
    return !isAtHead(endpoint) || isSurpassed(endpoint, read)
  }

  return {
    excludes(endpoint, request) {
      if (history.isWhole) return undefined
      const read = readOf(request)
      return read !== undefined && 'block' in read && has(endpoint, read) === false ? 'pruned' : undefined
    },
    prefers(endpoint, request) {
      if (history.isEmpty) return true
      const read = readOf(request)
      if (read === undefined) return true
      const isOwn = 'hash' in read && read.resource === index && transactions.blockOf(read.hash) === 0
      return isOwn || !isSurpassed(endpoint, read)
    },
    isMissing,
    showsLack: (request) => heightRead(request) !== undefined,
    lacksTold(request, response) {
      if (kind.nothingIn(request, response) !== 'null') return undefined
      const read = heightRead(request)
      const top = served()
      if (read === undefined || top === undefined) return undefined
      return read.block <= top && read.block > top - nearHead ? read.block : undefined
    },
    truthful(request, response) {
      if (history.isWhole || kind.nothingIn(request, response) === undefined) return response
      const read = readOf(request)
      const endpoint = endpoints.find(({ name }) => name === response.meta?.endpoint)
      if (read === undefined || !('block' in read) || endpoint === undefined) return response
      return has(endpoint, read) === false ? { error: pruned, ...(response.meta && { meta: response.meta }) } : response
    },
    answered(endpoint, request, response) {
      const { name } = endpoint
      const accepted = kind.acceptedBy(request, response)
      if (accepted !== undefined) return transactions.accepted(accepted)
      const nothing = kind.nothingIn(request, response)
      if (nothing !== undefined) {
        const read = readOf(request)
        if (read === undefined) return
        if ('hash' in read) {
          if (read.resource === index) transactions.notFound(read.hash, name)
        } else if (isMissed(read, nothing) && (heightOf(endpoint) ?? 0) >= read.block)
          history.lacked(name, read.resource, read.block)
        return
      }
      const block = kind.minedAt(request, response)
      if (block !== undefined) {
        const read = kind.reads(request)
        if (read === undefined || !('hash' in read)) return
        for (const other of transactions.mined(read.hash, block)) {
          if (other !== name) history.lacked(other, read.resource, block)
        }
        if (request === lastRequest) lastRequest = undefined
      }
      if (history.isEmpty || history.isTold(name) || response.error !== undefined) return
      const read = readOf(request)
      if (read !== undefined && 'block' in read && read.isCertain) history.served(name, read.resource, read.block)
    },
    failed(endpoint, request, why) {
      if (why === 'unreachable') return examiner.doubt(endpoint.name)
      if (why !== 'pruned' && why !== 'lagging') return
      const read = readOf(request)
      if (read === undefined || !('block' in read)) return
      // It has the chain so far: what it does not have there it no longer has.
      if (why === 'pruned' || (heightOf(endpoint) ?? 0) >= read.block)
        history.lacked(endpoint.name, read.resource, read.block)
    },
    oldestOf({ name }) {
      const all = resources.map((resource) => [resource, history.oldestOf(name, resource)] as const)
      const known = all.filter(([, oldest]) => oldest !== undefined) as (readonly [string, number])[]
      return known.length === 0 ? undefined : Object.fromEntries(known)
    },
    wanted: examiner.wanted,
    close: examiner.close,
  }
}
