import {
  type Clock,
  type RpcContext,
  RpcError,
  type RpcErrorObject,
  type RpcHandler,
  type RpcRequest,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import {
  type AskedRange,
  type CallReason,
  type ChainView,
  createRangeLimits,
  type Endpoint,
  type ExclusionReason,
  type KnownLimit,
  type KnownRanges,
  type RangeLimits,
  type Selection,
  type SelectionCall,
  watchRanges,
} from '@wayleave/upstream'
import type { RangeHeads, RangeKind } from '../kinds/evm-ranges.ts'

export interface RangesOptions {
  readonly kind: RangeKind
  /** The heads that tags stand for; undefined where none are followed. */
  readonly view: () => Pick<ChainView, 'head' | 'safe' | 'finalized'> | undefined
  /** The limits that are known so far, by upstream; it is added to. Default: none are. */
  readonly known?: Map<string, KnownRanges> | undefined
  readonly clock: Clock
}

/** The limits of ranges of a network's upstreams, learnt from their answers. */
export interface Ranges {
  readonly limits: RangeLimits
  /** Wraps endpoints, so that their limits are learnt. */
  watch<E extends Endpoint>(endpoints: readonly E[]): readonly E[]
  /** Why an upstream is passed over for a call. */
  excludes(endpoint: Endpoint, request: RpcRequest): CallReason | undefined
  /** The most blocks from the start of a call's range on that any upstream is known to take which may be asked; undefined: no limit is known. */
  mostBlocks(request: RpcRequest, call: SelectionCall, selection: RefuseOptions['selection']): number | undefined
  /** Answers calls for ranges that all upstreams would refuse, without asking any. */
  refuse(pool: RpcHandler, options: RefuseOptions): RpcHandler
}

export interface RefuseOptions {
  readonly selection: Pick<Selection, 'candidates' | 'reason'>
  readonly callOf: (request: RpcRequest, context: RpcContext) => SelectionCall
}

/** Reasons against an upstream that do not pass by themselves. */
const lastingReasons: ReadonlySet<ExclusionReason> = new Set([
  'cordoned',
  'group',
  'method_denied',
  'not_chosen',
  'range_too_large',
  'wrong_chain',
])

/** Creates the record for a network. */
export function createRanges({ kind, view, known, clock }: RangesOptions): Ranges {
  const { methods, refusalOf } = kind
  /** The last call that was looked at, since each candidate is asked about it. */
  let lastRequest: RpcRequest | undefined
  let lastHead: number | undefined
  let lastRange: AskedRange | undefined

  function rangeOf(request: RpcRequest): AskedRange | undefined {
    if (!methods.has(request.method)) return undefined
    const latest = view()?.head?.number
    if (request === lastRequest && latest === lastHead) return lastRange
    lastRequest = request
    lastHead = latest
    return (lastRange = kind.rangeOf(request, headsOf(latest)))
  }
  const headsOf = (latest: number | undefined): RangeHeads => ({
    latest,
    safe: view()?.safe?.number,
    finalized: view()?.finalized?.number,
  })

  const limits = createRangeLimits({ rangeOf, known, clock })

  return {
    limits,
    watch: (endpoints) => endpoints.map((endpoint) => watchRanges(endpoint, { limits, methods, refusalOf, clock })),
    excludes: ({ name }, request) =>
      limits.isEmpty || !methods.has(request.method) ? undefined : limits.reason(name, request),
    mostBlocks(request, call, selection) {
      if (limits.isEmpty) return undefined
      let most = 0
      for (const candidate of selection.candidates) {
        const reason = selection.reason(candidate, call)
        if (reason !== undefined && reason !== 'range_too_large' && reason !== 'range_doubtful') continue
        const blocks = limits.mostBlocks(candidate.endpoint.name, request)
        if (blocks === undefined) return undefined
        most = Math.max(most, blocks)
      }
      return most === 0 ? undefined : most
    },
    refuse(pool, { selection, callOf }) {
      /** The error in which the upstream that allows most of those that would refuse is told, and its name; undefined: none would. */
      function refusal(request: RpcRequest, call: SelectionCall): Refusal | undefined {
        const range = limits.isEmpty ? undefined : rangeOf(request)
        if (range === undefined) return undefined
        let most: KnownLimit | undefined
        let upstream = ''
        for (const candidate of selection.candidates) {
          if (selection.reason(candidate, call) !== 'range_too_large') continue
          const { name } = candidate.endpoint
          const limit = limits.limitOf(name, request)
          if (limit === undefined || limit.blocks <= (most?.blocks ?? 0)) continue
          most = limit
          upstream = name
        }
        return most && { error: kind.refuse(range, most), upstream }
      }

      /** Whether no upstream will take a call, now or in a moment. */
      function isHopeless(call: SelectionCall): boolean {
        const lasting = (reason: ExclusionReason | undefined): boolean =>
          reason !== undefined && lastingReasons.has(reason)
        return selection.candidates.every((candidate) => lasting(selection.reason(candidate, call)))
      }

      async function ask(request: RpcRequest, context: RpcContext): Promise<RpcResponse> {
        const call = callOf(request, context)
        const before = refusal(request, call)
        if (before !== undefined && isHopeless(call)) return { error: before.error }
        try {
          const response = await pool(request, context)
          if (response.error === undefined || typeof refusalOf(request, response.error) !== 'object') return response
          // The pool gives the words of the first of several that refuse.
          const after = refusal(request, callOf(request, context))
          return after === undefined || after.upstream === response.meta?.endpoint ? response : { error: after.error }
        } catch (thrown) {
          if (before === undefined || !(thrown instanceof RpcError) || thrown.code !== 'unavailable') throw thrown
          if (!isHopeless(callOf(request, context))) throw thrown
          return { error: before.error }
        }
      }

      return ask
    },
  }
}

interface Refusal {
  readonly error: RpcErrorObject
  readonly upstream: string
}
