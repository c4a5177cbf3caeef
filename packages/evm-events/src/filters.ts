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
import { idIn } from './evm-events.ts'
import { createFilterReader, type FilterReader, type HeadFor, LostCursorError } from './filter-changes.ts'
import { newFilterIn } from './filter-params.ts'
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
  /** Makes an id that nobody can guess. */
  readonly newId: () => string
  /** Filters that live already, such as those of a store after a restart. They count for their projects. */
  readonly known?: readonly StoredFilter[]
  /** The filters that projects may have, a long one as one for each KiB: `take` gives false where there is no room. */
  readonly share: {
    take(project: string | undefined, amount: number): boolean
    give(project: string | undefined, amount: number): void
  }
  /** Called with the project that may have no further filter. */
  readonly onRefused?: ((project: string | undefined) => void) | undefined
  /** Gives the pending transactions after `cursor`; undefined: from here on. Default: filters for them are refused. */
  readonly pending?:
    | ((cursor: string | undefined, full: boolean, context: RpcContext) => Promise<PendingChanges>)
    | undefined
  /** Names those who may be told the same blocks, in place of asking again. Default: all may. */
  readonly shareOf?: ((context: RpcContext) => string) | undefined
  /** Whether the bloom filters of headers cover all logs, so that a block is read only where its own may hold one. Default true. */
  readonly hasCompleteBlooms?: boolean | undefined
  /** Time without a call after which a filter is forgotten, in ms. Default 900,000. */
  readonly unpolledMs?: number
  /** The most replaced blocks of which logs are told as removed; past it the filter is gone. Default 128. */
  readonly maxReorg?: number
  /** The most blocks that one poll for logs covers; the next one tells what follows. Default 10,000. */
  readonly maxBlocks?: number
  /** The same for block hashes. Default 1,024. */
  readonly maxHashes?: number
}

interface Counted extends Pick<StoredFilter, 'project' | 'expiresAt'> {
  readonly amount: number
}

const calls = new Set([
  'eth_newFilter',
  'eth_newBlockFilter',
  'eth_newPendingTransactionFilter',
  'eth_getFilterChanges',
  'eth_getFilterLogs',
  'eth_uninstallFilter',
])

/** Time between two notes of a use that told nothing, in ms. */
const noteEveryMs = 60_000
const mostRaces = 4

/**
 * Serves `eth_newFilter` and its like as places in the chain, of the project that the context's lane names. The handler below is asked
 * for blocks, and for logs of any range. Changes are read when they are polled for, and the place moves with the answer; where it
 * was replaced, the logs told are told as removed. Every other call passes.
 */
export function createFilters(options: FiltersOptions): RpcMiddleware<RpcContext> {
  const { clock, headOf, store, newId, share, pending, unpolledMs = 900_000 } = options
  const {
    maxReorg = 128,
    maxBlocks = 10_000,
    maxHashes = 1_024,
    known = [],
    onRefused,
    shareOf,
    hasCompleteBlooms,
  } = options
  /** The filters that count here, by id; the one used last at the end. */
  const counted = new Map<string, Counted>()
  /** The calls for each filter, one after the other. */
  const turns = new Map<string, Promise<unknown>>()

  function count(filter: StoredFilter): void {
    const { id, project, expiresAt } = filter
    const amount = counted.get(id)?.amount ?? amountOf(filter)
    if (!counted.delete(id) && !share.take(project, amount)) return
    counted.set(id, { project, expiresAt, amount })
  }

  function discount(id: string): void {
    const filter = counted.get(id)
    if (filter === undefined) return
    counted.delete(id)
    share.give(filter.project, filter.amount)
  }

  function discountExpired(): void {
    for (const [id, { expiresAt }] of counted) {
      if (expiresAt > clock.date()) return
      discount(id)
    }
  }

  for (const filter of known) count(filter)

  /** Runs `act` when the calls before it for this filter have settled; rejects when the context is cancelled. */
  async function inTurn<T>(id: string, context: RpcContext, act: () => Promise<T>): Promise<T> {
    const turn = (turns.get(id) ?? Promise.resolve()).then(act, act)
    turns.set(id, turn)
    const leave = (): void => {
      if (turns.get(id) === turn) turns.delete(id)
    }
    turn.then(leave, leave)
    let forget = (): void => {}
    const cancelled = new Promise<never>((_, reject) => (forget = context.onCancel(reject)))
    return Promise.race([turn, cancelled]).finally(() => forget())
  }

  async function find(id: string, project: string | undefined): Promise<StoredFilter | undefined> {
    const filter = await store.get(id)
    if (filter === undefined || filter.project !== project) return undefined
    if (filter.expiresAt > clock.date()) return filter
    await end(id)
    return undefined
  }

  async function end(id: string): Promise<boolean> {
    discount(id)
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
    })

    async function open(request: RpcRequest, context: RpcContext): Promise<RpcResponse> {
      const made = newFilterIn(request, pending !== undefined)
      if ('code' in made) return { error: made }
      const project = context.lane
      const amount = amountOf(made)
      discountExpired()
      if (!share.take(project, amount)) {
        onRefused?.(project)
        throw new RpcError('overloaded', tooMany.message, { delivery: 'not_sent', rpc: tooMany })
      }
      let isKept = false
      try {
        const cursor = await reader.head(context)
        const start = made.kind === 'pending' ? await pending!(undefined, made.criteria === true, context) : undefined
        const id = newId()
        const expiresAt = clock.date() + unpolledMs
        const filter = { ...made, id, project, cursor, pendingCursor: start?.cursor, expiresAt, revision: 0 }
        if (!(await store.put(filter))) throw new RpcError('unavailable', 'expected an id of its own for a filter')
        counted.set(id, { project, expiresAt, amount })
        isKept = true
        return { result: rawJsonFromValue(id) }
      } finally {
        if (!isKept) share.give(project, amount)
      }
    }

    async function poll(id: string, context: RpcContext): Promise<RpcResponse> {
      for (let races = 0; races < mostRaces; races++) {
        const filter = await find(id, context.lane)
        if (filter === undefined) return { error: notFound }
        let told: StoredFilter
        let result: RawJson
        try {
          ;({ told, result } = await changesOf(filter, reader, context))
        } catch (thrown) {
          if (!(thrown instanceof LostCursorError)) throw thrown
          await end(id)
          return { error: notFound }
        }
        // The place moves with the answer. Another replica may have told the same meanwhile.
        if (context.cancelled !== undefined) throw context.cancelled
        if (await note(filter, told)) return { result }
      }
      throw new RpcError('unavailable', 'the filter is polled by others again and again')
    }

    async function changesOf(
      filter: StoredFilter,
      changes: FilterReader,
      context: RpcContext,
    ): Promise<{ told: StoredFilter; result: RawJson }> {
      const { kind, cursor, criteria } = filter
      if (kind === 'pending') {
        if (pending === undefined) return { told: filter, result: rawJsonFromText('[]') }
        const { result, cursor: pendingCursor } = await pending(filter.pendingCursor, criteria === true, context)
        return { told: { ...filter, pendingCursor }, result }
      }
      const { result, cursor: now } =
        kind === 'logs'
          ? await changes.logs(Object(criteria) as object, cursor, context)
          : await changes.hashes(cursor, context)
      return { told: { ...filter, cursor: now }, result }
    }

    /** Stores the new place and the time of the use; false where somebody else did first. */
    async function note(before: StoredFilter, told: StoredFilter): Promise<boolean> {
      const expiresAt = clock.date() + unpolledMs
      const isMoved = told.cursor.hash !== before.cursor.hash || told.pendingCursor !== before.pendingCursor
      const kept = { ...told, expiresAt, revision: before.revision + 1 }
      if (isMoved || expiresAt - before.expiresAt >= Math.min(noteEveryMs, unpolledMs / 2)) {
        if (!(await store.put(kept))) return !isMoved
        count(kept)
      }
      return true
    }

    async function logsOf(id: string, context: RpcContext): Promise<RpcResponse> {
      const filter = await find(id, context.lane)
      if (filter?.kind !== 'logs') return { error: notFound }
      await note(filter, filter)
      return next({ method: 'eth_getLogs', params: rawJsonFromValue([filter.criteria]), notification: false }, context)
    }

    async function uninstall(id: string, project: string | undefined): Promise<RpcResponse> {
      const isThere = (await find(id, project)) !== undefined && (await end(id))
      return { result: rawJsonFromText(String(isThere), isThere) }
    }

    async function use(request: RpcRequest, context: RpcContext): Promise<RpcResponse> {
      const id = idIn(request.params)
      if (typeof id !== 'string') return { error: id }
      if (request.method === 'eth_getFilterLogs') return logsOf(id, context)
      if (request.method === 'eth_uninstallFilter') return inTurn(id, context, () => uninstall(id, context.lane))
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
    return (request, context) => (calls.has(request.method) ? serve(request, context) : next(request, context))
  }
}

/** The room that a filter takes of its project's: one for each KiB. */
function amountOf({ criteria }: Pick<StoredFilter, 'criteria'>): number {
  return Math.ceil(JSON.stringify(criteria).length / 1_024)
}

/** In geth's words, which tell clients to make another one. */
const notFound: RpcErrorObject = { code: -32000, message: 'filter not found' }
const tooMany: RpcErrorObject = {
  code: -32005,
  message: 'too many filters of this project are in use: end some by eth_uninstallFilter',
}
