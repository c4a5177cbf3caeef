import type { Clock, RpcContext, RpcRequest, RpcResponse } from '@wayleave/jsonrpc-core'
import {
  type CallReason,
  createExaminer,
  createHistory,
  type Endpoint,
  type ExaminerOptions,
  type FailureKind,
} from '@wayleave/upstream'
import type { HistoryKind, HistoryRead } from '../kinds/history-kind.ts'
import type { UpstreamKnowledge } from './kept-upstreams.ts'
import { createKnownTransactions } from './known-transactions.ts'

/** The knowledge of which upstream has which part of the chain's history. */
export interface Capabilities {
  /** Whether an upstream is known to lack what a call reads. */
  excludes(endpoint: Endpoint, request: RpcRequest): CallReason | undefined
  /** Whether no other upstream is more likely to have what a call reads. */
  prefers(endpoint: Endpoint, request: RpcRequest): boolean
  /**
   * Whether an answer that has found nothing may have missed something that another upstream has, which may be asked under `context`; without
   * one, others are asked anyway. Undefined: it reads no history.
   */
  isMissing(endpoint: Endpoint, request: RpcRequest, response: RpcResponse, context?: CallTenant): boolean | undefined
  /** Whether an answer shows that its upstream lacks the block that a call needs: one to a call by name would be of another block. */
  showsLack(request: RpcRequest): boolean
  /** The height of a block near the head that callers were told of, and an answer does not have; undefined: it is none such. */
  lacksReported(request: RpcRequest, response: RpcResponse): number | undefined
  /** Returns the answer, or an error in place of one that has found nothing where its upstream has nothing. */
  truthful(request: RpcRequest, response: RpcResponse): RpcResponse
  answered(endpoint: Endpoint, request: RpcRequest, response: RpcResponse): void
  failed(endpoint: Endpoint, request: RpcRequest, kind: FailureKind): void
  /** Takes note of a block that the chain has dropped. */
  dropped(block: number): void
  /** The oldest block by resource, where it is known; undefined: nothing is. */
  oldestOf(endpoint: Endpoint): Readonly<Record<string, number>> | undefined
  /** Notes that there is a caller. */
  wanted(): void
  close(): void
}

/** The tenant of a call, which decides whom it may be sent to. */
export type CallTenant = Pick<RpcContext, 'tenant'>

export interface CapabilitiesOptions extends Partial<Pick<UpstreamKnowledge, 'history' | 'examinedAt'>> {
  readonly kind: HistoryKind
  /** Several, as they are asked by the gateway itself. */
  readonly endpoints: readonly Endpoint[]
  /** Whether an upstream may be asked for its history now; with a question: that one. */
  readonly mayExamine: (endpoint: Endpoint, question?: RpcRequest) => boolean
  /** Whether an upstream may be asked for a call like any other. */
  readonly mayAsk: (endpoint: Endpoint, request: RpcRequest, context: CallTenant) => boolean
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

type HashRead = Extract<HistoryRead, { readonly hash: string }>

/** Whether to have found nothing means that the upstream lacks the block: an empty list may be all that the block has. */
const isMissed = ({ isCertain }: Pick<HistoryRead, 'isCertain'>, nothing: 'null' | 'empty'): boolean =>
  isCertain && nothing === 'null'

export function createCapabilities(options: CapabilitiesOptions): Capabilities {
  const { kind, endpoints, served, heightOf, isFresh, mayExamine, mayAsk, clock } = options
  const { transactions: index } = kind
  const history = createHistory({ needs: kind.resources, head: served, known: options.history, clock })
  const transactions = createKnownTransactions(clock)
  const examiner = createExaminer({
    endpoints,
    examinedAt: options.examinedAt,
    clock,
    mayAsk: mayExamine,
    onAsk: options.onAsk,
    async examine(endpoint, ask) {
      const { name } = endpoint
      const head = served()
      if (head === undefined || heightOf(endpoint) === undefined || !mayExamine(endpoint)) return false
      await kind.examine(ask, head, {
        reported: (resource, retention) => history.reported(name, resource, retention),
        served: (resource, block) => history.served(name, resource, block),
        lacked: (resource, block) => history.lacked(name, resource, block, true),
      })
      return true
    },
  })
  /** The call that was looked at last, since each candidate is asked about it. */
  let lastRequest: RpcRequest | undefined
  let lastRead: HistoryRead | undefined
  /** The last call for a block that upstreams said they did not have, and which. */
  let lagging: { readonly request: RpcRequest; readonly names: Set<string> } | undefined

  function readOf(request: RpcRequest): HistoryRead | undefined {
    if (request === lastRequest) return lastRead
    lastRequest = request
    lastRead = located(kind.reads(request))
    return lastRead
  }

  /** Puts the height of a block or a transaction in place of its hash, where it is known. */
  function located(read: HistoryRead | undefined): HistoryRead | undefined {
    if (read === undefined || 'block' in read) return read
    const { resource, hash, isCertain, content = resource } = read
    const block = resource === index ? transactions.blockOf(hash) : options.heightOfBlock(hash)
    return block === undefined || block === 0 ? read : { resource: content, block, isCertain }
  }

  /** The hash that a call looks for; undefined: it names a height, or nothing. */
  function soughtBy(request: RpcRequest): HashRead | undefined {
    const read = kind.reads(request)
    return read !== undefined && 'hash' in read ? read : undefined
  }
  /** A block that has no receipts may have a body. */
  const keyOf = ({ resource, hash }: HashRead): string => (resource === index ? hash : `${resource} ${hash}`)

  /** The part that a call reads by its height, if there is something to answer wherever the block is there. */
  function heightRead(request: RpcRequest) {
    const read = kind.reads(request)
    return read !== undefined && 'block' in read && read.isCertain ? read : undefined
  }

  /** Whether an upstream has what a call reads; by an unknown hash: all that there is. */
  function has({ name }: Endpoint, read: HistoryRead): boolean | undefined {
    return history.has(name, read.resource, 'block' in read ? read.block : first)
  }

  /** How likely an upstream has what a call reads: from 0, it does not, to 3. */
  function likelihood(endpoint: Endpoint, read: HistoryRead): number {
    const known = has(endpoint, read)
    if (known !== undefined) return known ? 3 : 0
    // A doubt about a single transaction may rest on another's invention.
    if (!('block' in read) && read.resource === index) return 2
    return history.isDoubtful(endpoint.name, read.resource, 'block' in read ? read.block : first) ? 1 : 2
  }

  /** Whether another upstream, of those that `counts`, is more likely to have what a call reads. */
  function isSurpassed(endpoint: Endpoint, read: HistoryRead, counts?: (other: Endpoint) => boolean): boolean {
    const own = likelihood(endpoint, read)
    if (own === 3) return false
    return endpoints.some((other) => likelihood(other, read) > own && counts?.(other) !== false)
  }

  /**
   * Whether a hash that an upstream did not find has to be looked for elsewhere, as it may be too old for it: each other one is asked once in
   * ten minutes. What is new would be at any upstream that stands at the head.
   */
  function mayBeElsewhere(endpoint: Endpoint, request: RpcRequest, read: HashRead, context: CallTenant): boolean {
    const isUnknown = read.resource !== index || transactions.blockOf(read.hash) === undefined
    if (isUnknown && has(endpoint, read) === true) return false
    const key = keyOf(read)
    const isLeft = endpoints.some(
      (other) =>
        other.name !== endpoint.name &&
        !transactions.isMissed(key, other.name) &&
        has(other, read) !== false &&
        mayAsk(other, request, context),
    )
    if (!isLeft && !isUnknown) transactions.lost(read.hash)
    return isLeft
  }

  /** Whether an upstream is known to stand at the served head. */
  function isAtHead(endpoint: Endpoint): boolean {
    return (heightOf(endpoint) ?? -1) >= (served() ?? 0) && isFresh(endpoint)
  }

  function isMissing(endpoint: Endpoint, request: RpcRequest, response: RpcResponse, context?: CallTenant) {
    const nothing = kind.nothingIn(request, response)
    if (nothing === undefined) return false
    const read = readOf(request)
    if (read === undefined) return undefined
    const top = served()
    const hashRead = soughtBy(request)
    if ('block' in read && (hashRead === undefined || hashRead.resource !== index)) {
      if (has(endpoint, read) === false) return true
      if (top === undefined || read.block > top) return false
      if (isMissed(read, nothing) || (heightOf(endpoint) ?? 0) < read.block) return true
      return isSurpassed(endpoint, read, (other) => context === undefined || mayAsk(other, request, context))
    }
    if (top === undefined || hashRead === undefined) return false
    if (!isAtHead(endpoint)) return true
    const isAccepted = hashRead.resource === index && transactions.blockOf(hashRead.hash) === 0
    // A transaction that waits is in no receipt, and is found where it was sent to.
    if (context === undefined || (isAccepted && request.method === 'eth_getTransactionReceipt')) return false
    if (isMissed(hashRead, nothing)) return mayBeElsewhere(endpoint, request, hashRead, context)
    return isSurpassed(endpoint, hashRead, (other) => mayAsk(other, request, context))
  }

  /** Notes that upstreams lack the block of a call that another one has answered: they have the chain so far. */
  function exposeLagging(): void {
    const { request, names } = lagging!
    lagging = undefined
    const read = readOf(request)
    if (read === undefined || !('block' in read)) return
    for (const name of names) history.lacked(name, read.resource, read.block)
  }

  /** Takes note of a transaction that was found. */
  function found({ name }: Endpoint, request: RpcRequest, block: number): void {
    const sought = soughtBy(request)
    if (sought === undefined) return
    // One that waits counts as accepted: no look for its receipt goes round.
    if (block === 0) return transactions.accepted(sought.hash)
    for (const other of transactions.mined(sought.hash, block)) {
      if (other !== name && !history.isReported(other, index)) history.lacked(other, index, block)
    }
    if (request === lastRequest) lastRequest = undefined
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
    lacksReported(request, response) {
      if (kind.nothingIn(request, response) !== 'null') return undefined
      const read = heightRead(request)
      const top = served()
      if (read === undefined || top === undefined) return undefined
      return read.block <= top && read.block > top - nearHead ? read.block : undefined
    },
    truthful(request, response) {
      if (history.isWhole || kind.nothingIn(request, response) === undefined) return response
      // A block or a transaction of a hash may be gone for good.
      const read = kind.reads(request)
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
        const read = kind.reads(request)
        if (read === undefined || !isMissed(read, nothing)) return
        const height = heightOf(endpoint) ?? 0
        if ('hash' in read) transactions.notFound(keyOf(read), name, height)
        else if (height >= read.block && !kind.mayEcho(request)) history.lacked(name, read.resource, read.block)
        return
      }
      if (response.error !== undefined) return
      if (request === lagging?.request) exposeLagging()
      const block = kind.minedAt(request, response)
      if (block !== undefined) found(endpoint, request, block)
      if (history.isEmpty) return
      const read = readOf(request)
      // One transaction says nothing of others, and may be invented.
      if (read === undefined || !('block' in read) || !read.isCertain || read.resource === index) return
      if (!history.isReported(name, read.resource)) history.served(name, read.resource, read.block)
    },
    failed(endpoint, request, why) {
      if (why === 'unreachable') return examiner.doubt(endpoint.name)
      if (why !== 'pruned' && why !== 'lagging') return
      const height = heightOf(endpoint) ?? 0
      const sought = soughtBy(request)
      if (sought !== undefined) transactions.notFound(keyOf(sought), endpoint.name, height)
      const read = readOf(request)
      if (read === undefined || !('block' in read) || kind.mayEcho(request)) return
      if (why === 'pruned') return history.lacked(endpoint.name, read.resource, read.block)
      // That an end of a range is beyond the head says nothing of its beginning.
      if (!read.isCertain || height < read.block) return
      if (request !== lagging?.request) lagging = { request, names: new Set() }
      lagging.names.add(endpoint.name)
    },
    dropped: transactions.dropped,
    oldestOf({ name }) {
      const all = Object.keys(kind.resources).map((resource) => [resource, history.oldestOf(name, resource)] as const)
      const known = all.filter((each): each is readonly [string, number] => each[1] !== undefined)
      return known.length === 0 ? undefined : Object.fromEntries(known)
    },
    wanted: examiner.wanted,
    close: examiner.close,
  }
}
