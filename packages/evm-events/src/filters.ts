import {
  type Clock,
  type RawJson,
  rawJsonFromText,
  rawJsonFromValue,
  type RpcContext,
  RpcError,
  type RpcErrorObject,
  type RpcHandler,
  type RpcMiddleware,
  type RpcRequest,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import { untilCancelled } from './ask-once.ts'
import type { Elsewhere } from './block-logs.ts'
import { idIn } from './evm-events.ts'
import { createFilterReader, type FilterReader, type HeadFor } from './filter-changes.ts'
import { LostCursorError } from './filter-place.ts'
import { newFilterIn } from './filter-params.ts'
import { type CountedFilter, createFilterQuota, type FilterShare } from './filter-quota.ts'
import type { FilterStore, StoredFilter } from './filter-store.ts'

/** Pending transactions after a place among them. */
export interface PendingChanges {
  /** An array of hashes, or of transactions. */
  readonly result: RawJson
  /** The place after the last of them. */
  readonly cursor: string
}

/** Options of {@link createFilters}. */
export interface FiltersOptions {
  readonly clock: Clock
  /** Gives the head for a call; undefined where none is known: then a node is asked for it. */
  readonly headOf: HeadFor
  readonly store: FilterStore
  /** Makes an id that nobody can guess: a hex quantity of 16 bytes at most. */
  readonly newId: () => string
  /** Filters that live already, such as those of a store after a restart. They count for their projects. */
  readonly known?: readonly StoredFilter[]
  /** The filters that projects may have, a long one as one for each KiB. */
  readonly share: FilterShare
  /** The most filters that the project of a call may have in the store, over all processes that share it. Default: any number. */
  readonly mostOf?: (context: RpcContext) => number | undefined
  /** Called with the project that may have no further filter. */
  readonly onRefused?: ((project: string | undefined) => void) | undefined
  /** Gives the reason why the call that would make a filter is refused, wherever one is used. Default: none is. */
  readonly refusalOf?: ((request: RpcRequest, context: RpcContext) => RpcError | undefined) | undefined
  /** Gives the pending transactions after `cursor`; undefined: from here on. Default: filters for them are refused. */
  readonly pending?:
    | ((cursor: string | undefined, full: boolean, context: RpcContext) => Promise<PendingChanges>)
    | undefined
  /** Names those who may be told the same blocks, in place of asking again. Default: all may. */
  readonly shareOf?: ((context: RpcContext) => string) | undefined
  /** Whether the bloom filters of headers cover all logs, so that a block is read only where its own may hold one. Default true. */
  readonly hasCompleteBlooms?: boolean | undefined
  /** Has a block be asked for elsewhere where an answer was of no use. Default: it may go to the same node again. */
  readonly elsewhere?: Elsewhere | undefined
  /** The most replaced blocks of which logs are told as removed; past it the filter is gone. Default 128. */
  readonly maxReorg?: number
  /** The most blocks that one poll for logs covers; the next one tells what follows. Default 10,000. */
  readonly maxBlocks?: number
  /** The same for block hashes. Default 256. */
  readonly maxHashes?: number
}

/** The methods that {@link createFilters} serves. */
export const filterMethods: ReadonlySet<string> = new Set([
  'eth_newFilter',
  'eth_newBlockFilter',
  'eth_newPendingTransactionFilter',
  'eth_getFilterChanges',
  'eth_getFilterLogs',
  'eth_uninstallFilter',
])

/** Time without a call after which a filter is forgotten, in ms. */
const unpolledMs = 900_000
/** Time between two notes of a use that told nothing, in ms. */
const noteEveryMs = 60_000
const mostRaces = 4
const anyId = /^0x[\da-f]{1,32}$/
const longestEmpty = '[]'.length

/**
 * Serves `eth_newFilter` and its like as places in the chain, of the project that the context's tenant names. The handler below is asked
 * for blocks, and for logs of any range. Changes are read when they are polled for, and the place moves with the answer; where it
 * was replaced, the logs told are told as removed. Every other call passes.
 */
export function createFilters(options: FiltersOptions): RpcMiddleware<RpcContext> {
  const { clock, headOf, store, newId, share, pending } = options
  const { maxReorg = 128, maxBlocks = 10_000, maxHashes = 256, known = [], onRefused, refusalOf } = options
  const { shareOf, hasCompleteBlooms } = options
  const quota = createFilterQuota(clock, share, store, known)
  /** The calls for each filter, one after the other. */
  const turns = new Map<string, Promise<unknown>>()

  /** @throws RpcError `overloaded`, as the project has no room */
  function refuse({ project }: CountedFilter): never {
    onRefused?.(project)
    throw new RpcError('overloaded', tooMany.message, { delivery: 'not_sent', rpc: tooMany })
  }

  /** Runs `act` when the calls before it for this filter have settled; rejects when the context is cancelled. */
  async function inTurn<T>(id: string, context: RpcContext, act: () => Promise<T>): Promise<T> {
    const turn = (turns.get(id) ?? Promise.resolve()).then(act, act)
    turns.set(id, turn)
    const leave = (): void => {
      if (turns.get(id) === turn) turns.delete(id)
    }
    turn.then(leave, leave)
    return untilCancelled(turn, context)
  }

  async function find(id: string, project: string | undefined): Promise<StoredFilter | undefined> {
    const filter = await store.get(id)
    if (filter === undefined) quota.leave(id)
    if (filter === undefined || filter.project !== project) return undefined
    if (filter.expiresAt > clock.date()) return filter
    await end(id)
    return undefined
  }

  /** Finds a filter that may be used. @throws RpcError where it may not, such as after its project's rules were changed */
  async function findToUse(id: string, context: RpcContext): Promise<StoredFilter | undefined> {
    const filter = await find(id, context.tenant)
    if (filter === undefined) return undefined
    const refusal = refusalOf?.(makerOf(filter), context)
    if (refusal !== undefined) throw refusal
    if (!(await quota.admit(filter, true))) refuse(filter)
    return filter
  }

  async function end(id: string): Promise<boolean> {
    quota.leave(id)
    return store.remove(id)
  }

  return (next) => {
    const reader = createFilterReader({
      ask: next,
      clock,
      headOf,
      maxReorg,
      maxBlocks,
      maxHashes,
      shareOf,
      hasCompleteBlooms,
      elsewhere: options.elsewhere,
    })

    async function open(request: RpcRequest, context: RpcContext): Promise<RpcResponse> {
      const made = newFilterIn(request, pending !== undefined)
      if ('code' in made) return { error: made }
      const id = newId()
      const expiresAt = clock.date() + unpolledMs
      const filter = { ...made, id, project: context.tenant, expiresAt, revision: 0 }
      if (!(await quota.admit(filter, false))) refuse(filter)
      let isKept = false
      try {
        const cursor = await reader.head(context)
        const start = made.kind === 'pending' ? await pending!(undefined, made.criteria === true, context) : undefined
        const most = options.mostOf?.(context)
        isKept = await store.put({ ...filter, cursor, pendingCursor: start?.cursor }, most)
        if (isKept) await quota.admit(filter, true)
        if (isKept) return { result: rawJsonFromValue(id) }
        if (most !== undefined) refuse(filter)
        throw new RpcError('unavailable', 'expected an id of its own for a filter')
      } finally {
        if (!isKept) quota.leave(id)
      }
    }

    async function poll(id: string, context: RpcContext): Promise<RpcResponse> {
      for (let races = 0; races < mostRaces; races++) {
        const filter = await findToUse(id, context)
        if (filter === undefined) return { error: notFound }
        let reported: StoredFilter
        let result: RawJson
        try {
          ;({ reported, result } = await changesOf(filter, reader, context))
        } catch (thrown) {
          if (!(thrown instanceof LostCursorError)) throw thrown
          await end(id)
          return { error: notFound }
        }
        // The place moves with the answer. Another replica may have told the same meanwhile.
        if (context.cancelled !== undefined) throw context.cancelled
        if (result.byteLength <= longestEmpty) {
          if (await note(filter, reported)) return { result }
          continue
        }
        const taken = { ...filter, expiresAt: clock.date() + unpolledMs, revision: filter.revision + 1 }
        if ((await store.put(taken)) && (await move(taken, reported, context))) return { result }
      }
      throw new RpcError('unavailable', 'the filter is polled by others again and again')
    }

    async function changesOf(
      filter: StoredFilter,
      changes: FilterReader,
      context: RpcContext,
    ): Promise<{ reported: StoredFilter; result: RawJson }> {
      const { kind, cursor, criteria } = filter
      if (kind === 'pending') {
        if (pending === undefined) return { reported: filter, result: rawJsonFromText('[]') }
        const { result, cursor: pendingCursor } = await pending(filter.pendingCursor, criteria === true, context)
        return { reported: { ...filter, pendingCursor }, result }
      }
      const { result, cursor: now } =
        kind === 'logs'
          ? await changes.logs(Object(criteria) as object, cursor, context)
          : await changes.hashes(cursor, context)
      return { reported: { ...filter, cursor: now }, result }
    }

    /**
     * Moves the place of a filter that was taken by a change of its revision; false where somebody else did first. Where it cannot be known
     * whether the place moved, the answer is given: its events may be told again, and are never lost.
     */
    async function move(taken: StoredFilter, reported: StoredFilter, context: RpcContext): Promise<boolean> {
      if (context.cancelled !== undefined) throw context.cancelled
      const { expiresAt } = taken
      const isMoved = await store.put({ ...reported, expiresAt, revision: taken.revision + 1 }).catch(() => true)
      if (context.cancelled === undefined) return isMoved
      // Nobody takes the answer any more.
      if (isMoved) await store.put({ ...taken, revision: taken.revision + 2 })
      throw context.cancelled
    }

    /** Stores the new place and the time of the use; false where somebody else did first. */
    async function note(before: StoredFilter, reported: StoredFilter): Promise<boolean> {
      const expiresAt = clock.date() + unpolledMs
      const isMoved = reported.cursor.hash !== before.cursor.hash || reported.pendingCursor !== before.pendingCursor
      const kept = { ...reported, expiresAt, revision: before.revision + 1 }
      if (isMoved || expiresAt - before.expiresAt >= noteEveryMs) {
        if (!(await store.put(kept))) return !isMoved
        await quota.admit(kept, true)
      }
      return true
    }

    async function logsOf(id: string, context: RpcContext): Promise<RpcResponse> {
      const filter = await inTurn(id, context, async () => {
        const found = await findToUse(id, context)
        if (found?.kind === 'logs') await note(found, found)
        return found
      })
      if (filter?.kind !== 'logs') return { error: notFound }
      return next({ method: 'eth_getLogs', params: rawJsonFromValue([filter.criteria]), notification: false }, context)
    }

    async function uninstall(id: string, project: string | undefined): Promise<RpcResponse> {
      const isThere = (await find(id, project)) !== undefined && (await end(id))
      return { result: rawJsonFromText(String(isThere), isThere) }
    }

    async function use(request: RpcRequest, context: RpcContext): Promise<RpcResponse> {
      const id = idIn(request.params)
      if (typeof id !== 'string') return { error: id }
      if (!anyId.test(id)) {
        return request.method === 'eth_uninstallFilter' ? { result: rawJsonFromText('false') } : { error: notFound }
      }
      if (request.method === 'eth_getFilterLogs') return logsOf(id, context)
      if (request.method === 'eth_uninstallFilter') return inTurn(id, context, () => uninstall(id, context.tenant))
      const { context: own, release } = context.fork({ acceptStream: false })
      try {
        return await inTurn(id, own, () => poll(id, own))
      } finally {
        release()
      }
    }

    const serve: RpcHandler = async (request, context) => {
      try {
        return await (request.method.startsWith('eth_new') ? open(request, context) : use(request, context))
      } catch (thrown) {
        // A node's own error is an answer.
        if (thrown instanceof RpcError && thrown.code === 'rpc' && thrown.rpc !== undefined)
          return { error: thrown.rpc }
        throw thrown
      }
    }
    return (request, context) => (filterMethods.has(request.method) ? serve(request, context) : next(request, context))
  }
}

/** The call that makes such a filter. */
function makerOf({ kind, criteria }: StoredFilter): RpcRequest {
  const method =
    kind === 'logs' ? 'eth_newFilter' : kind === 'blocks' ? 'eth_newBlockFilter' : 'eth_newPendingTransactionFilter'
  return { method, params: rawJsonFromValue(kind === 'blocks' ? [] : [criteria]), notification: false }
}

/** In geth's words, which tell clients to make another one. */
const notFound: RpcErrorObject = { code: -32000, message: 'filter not found' }
const tooMany: RpcErrorObject = {
  code: -32005,
  message: 'too many filters of this project are in use: end some by eth_uninstallFilter',
}
