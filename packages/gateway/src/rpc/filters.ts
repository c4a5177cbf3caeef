import {
  type Clock,
  defineExtension,
  type Extension,
  isStream,
  rawJsonFromText,
  type RpcContext,
  RpcError,
  type RpcErrorObject,
  type RpcMiddleware,
  type RpcRequest,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import type { Candidate, FairShare, Selection, StandingReason } from '@wayleave/upstream'
import type { FilterCall } from '../networks/evm-filters.ts'
import { elementSpan, nonArrayArgs, withReplaced } from '../networks/rewrite-params.ts'

export interface FiltersOptions {
  /** The calls for filters, by method. */
  readonly calls: ReadonlyMap<string, FilterCall>
  readonly selection: Selection
  /** The filters of the whole process, by project. */
  readonly shares: FairShare
  /** Makes an id that nobody can guess. */
  readonly newId: () => string
  /** Those of all replicas; undefined: this process is alone. */
  readonly shared?: SharedFilters | undefined
  readonly clock: Clock
  /** Called with the project that may have no further filter. */
  readonly onRefused: (project: string) => void
}

/** A filter, as replicas know it. */
export interface SharedFilter {
  readonly project: string | undefined
  /** The name of the upstream that keeps it. */
  readonly upstream: string
  /** The node's own id, as JSON. */
  readonly nodeId: string
}

/** The filters of a network that any replica has opened. Rejects within a second where they cannot be had. */
export interface SharedFilters {
  put(id: string, filter: SharedFilter): Promise<void>
  /** Finds a filter; that counts as a use. */
  find(id: string): Promise<SharedFilter | undefined>
  remove(id: string): Promise<void>
}

/** The only upstream that can take a call, by its name: it keeps the call's filter, or lacks its transaction. */
export const keptAt: Extension<string> = defineExtension<string>('keptAt')

/** Time after its last call for which a filter is known, in ms. */
const unpolledMs = 900_000
/** Time between two uses here of which other replicas are told, in ms. */
const tellEveryMs = 60_000
/** An id of the gateway's own. */
const ownId = /^0x[\da-f]{1,32}$/
/** The longest id that a node gives, in bytes. */
const longestId = 1_024
/** Time between two looks whether an upstream that owes an answer is still in use, in ms. */
const lookEveryMs = 250

/** Standings in which an upstream may still answer for its filters. In any other one they are gone: nobody is sent there. */
const mayAnswer = new Set<StandingReason | undefined>([
  undefined,
  'half_open',
  'suspected',
  'rate_limited',
  'false_answers',
])

interface Filter {
  readonly project: string | undefined
  readonly upstream: Candidate
  /** The node's own id, as JSON. */
  readonly nodeId: string
  expiresAt: number
  /** The time at which other replicas heard of its last use. */
  toldAt: number
}

/**
 * Sends the calls for a filter to the upstream that keeps it. Callers get ids of the gateway's own, as nodes give equal ones; the connections
 * of a project share them, at all replicas. A filter whose upstream is out is `filter not found`, so that its client makes another one.
 */
export function stickyFilters(options: FiltersOptions): RpcMiddleware<RpcContext> {
  const { calls, selection, shares, shared, newId, clock, onRefused } = options
  const { candidates } = selection
  /** By the gateway's id, the one that was asked for last at the end. */
  const filters = new Map<string, Filter>()

  function forget(id: string): void {
    const filter = filters.get(id)
    if (filter === undefined) return
    filters.delete(id)
    shares.give(filter.project, 1)
  }

  /** Forgets a filter for good, at the other replicas, too. */
  async function end(id: string): Promise<void> {
    forget(id)
    await shared?.remove(id).catch(() => {})
  }

  function keep(id: string, filter: Pick<Filter, 'project' | 'upstream' | 'nodeId'>): Filter {
    const now = clock.now()
    const kept = { ...filter, expiresAt: now + unpolledMs, toldAt: now }
    filters.set(id, kept)
    return kept
  }

  /** Finds a filter that another replica has opened. It is kept here if its project has room for it. */
  async function adopt(id: string): Promise<Filter | undefined> {
    if (shared === undefined || !ownId.test(id)) return undefined
    const found = await shared.find(id).catch(() => undefined)
    const known = filters.get(id)
    if (found === undefined || known !== undefined) return known
    const upstream = candidates.find(({ endpoint }) => endpoint.name === found.upstream)
    if (upstream === undefined) return undefined
    const filter = { ...found, upstream }
    if (shares.take(found.project, 1)) return keep(id, filter)
    return { ...filter, expiresAt: 0, toldAt: clock.now() }
  }

  /** Takes note of a use. */
  function touch(id: string, filter: Filter): void {
    const now = clock.now()
    filter.expiresAt = now + unpolledMs
    if (filters.delete(id)) filters.set(id, filter)
    if (shared === undefined || now - filter.toldAt < tellEveryMs) return
    filter.toldAt = now
    shared.find(id).catch(() => {})
  }

  function forgetExpired(): void {
    const now = clock.now()
    for (const [id, { expiresAt }] of filters) {
      if (expiresAt > now) return
      forget(id)
    }
  }

  /** Where one upstream is all there is, no other one could have the next filter. */
  const isGone = (upstream: Candidate): boolean =>
    candidates.length > 1 && !mayAnswer.has(selection.standing(upstream, clock.now()))

  return (next) => {
    async function open(request: RpcRequest, context: RpcContext): Promise<RpcResponse> {
      const project = context.lane
      forgetExpired()
      if (!shares.take(project, 1)) {
        onRefused(project ?? '')
        throw tooManyFilters
      }
      let isKept = false
      try {
        const response = await next(request, context)
        if (response.error !== undefined) return response
        const upstream = candidates.find(({ endpoint }) => endpoint.name === response.meta?.endpoint)
        const nodeId = idIn(response)
        if (upstream === undefined || nodeId === undefined) {
          throw new RpcError('invalid_response', 'the upstream gave no id of a filter')
        }
        const id = newId()
        keep(id, { project, upstream, nodeId })
        isKept = true
        // It is known here, even if it cannot be told.
        await shared?.put(id, { project, upstream: upstream.endpoint.name, nodeId }).catch(() => {})
        return { ...response, result: rawJsonFromText(`"${id}"`, id) }
      } finally {
        if (!isKept) shares.give(project, 1)
      }
    }

    /** Asks the upstream of a filter; undefined where it is out before it answers. */
    async function ask(
      { upstream, nodeId }: Filter,
      request: RpcRequest,
      context: RpcContext,
    ): Promise<RpcResponse | undefined> {
      if (isGone(upstream)) return undefined
      // It is not released: the answer may be a stream, which ends with its caller.
      const fork = context.fork({})
      const look = (): void => {
        if (isGone(upstream)) fork.cancel(gone)
        else stop = clock.after(lookEveryMs, look)
      }
      let stop = clock.after(lookEveryMs, look)
      const id = { ...elementSpan(request.params!.text(), 0), by: nodeId }
      try {
        return await next(keptAt.on(withReplaced(request, [id]), upstream.endpoint.name), fork.context)
      } catch (thrown) {
        if (context.cancelled === undefined && (thrown === gone || (candidates.length > 1 && isBroken(thrown))))
          return undefined
        throw thrown
      } finally {
        stop()
      }
    }

    async function use(call: FilterCall, request: RpcRequest, context: RpcContext): Promise<RpcResponse> {
      const id = idOf(request)
      if (typeof id !== 'string') return { error: id }
      forgetExpired()
      const filter = filters.get(id) ?? (await adopt(id))
      if (filter === undefined || filter.project !== context.lane) return call === 'ends' ? no : { error: notFound }
      touch(id, filter)
      const response = await ask(filter, request, context)
      if (response === undefined) {
        await end(id)
        return call === 'ends' ? yes : { error: notFound }
      }
      const isOver =
        response.error === undefined ? call === 'ends' : call === 'polls' && notFoundWords.test(response.error.message)
      if (isOver) await end(id)
      return response
    }

    return (request, context) => {
      const call = calls.get(request.method)
      if (call === undefined) return next(request, context)
      return call === 'opens' ? open(request, context) : use(call, request, context)
    }
  }
}

const gone = new RpcError('unavailable', 'the upstream of the filter is out', { delivery: 'unknown' })
const message = 'too many filters of this project are in use (limits.maxFilters)'
const tooManyFilters = new RpcError('overloaded', message, { delivery: 'not_sent', rpc: { code: -32005, message } })
/** In geth's words, which tell clients to make another one. */
const notFound: RpcErrorObject = { code: -32000, message: 'filter not found' }
/** The words of geth, erigon, reth, besu and nethermind. */
const notFoundWords = /filter.*(?:not found|does not exist)/i
const yes: RpcResponse = { result: rawJsonFromText('true', true) }
const no: RpcResponse = { result: rawJsonFromText('false', false) }

/** Reads the id in a node's answer, as JSON; undefined where there is none. */
function idIn({ result }: RpcResponse): string | undefined {
  if (result === undefined) return undefined
  if (isStream(result)) return void result.cancel()
  const isId = result.byteLength <= longestId && /^(?:string|number)$/.test(typeof result.value())
  return isId ? result.text() : undefined
}

/** Reads the id that a call names, or makes the error where there is none. */
function idOf({ params }: RpcRequest): string | RpcErrorObject {
  const args = params?.value() ?? []
  if (!Array.isArray(args)) return nonArrayArgs.error!
  if (args.length === 0) return { code: -32602, message: 'missing value for required argument 0' }
  if (typeof args[0] === 'string') return args[0]
  return { code: -32602, message: 'invalid argument 0: the id of a filter was expected' }
}

/** Whether the connection to a node broke: it may have ended, or its answer may be lost, with the changes in it. */
function isBroken(thrown: unknown): boolean {
  const why = thrown instanceof RpcError && thrown.cause instanceof RpcError ? thrown.cause : thrown
  return why instanceof RpcError && (why.code === 'connect' || why.code === 'disconnected')
}
