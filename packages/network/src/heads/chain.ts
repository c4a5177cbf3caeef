import type { RpcContext, RpcRequest, RpcResponse } from '@wayleave/jsonrpc-core'
import type { HeadSource } from '@wayleave/stores/shared-state'
import {
  type CallReason,
  type Candidate,
  type ChainView,
  createChainView,
  type Endpoint,
  type Header,
  type HostReason,
  type Position,
  type SelectionCall,
} from '@wayleave/upstream'
import { createAnnouncedHead } from './announced-head.ts'
import { chainChanges, reasons } from '../upstreams/exclusion-reasons.ts'
import { type CallTenant, type Capabilities, createCapabilities } from '../upstreams/capabilities.ts'
import type { ChainOptions } from './chain-options.ts'
import { reportClockDifference } from '../upstreams/clock-difference.ts'
import { createEmptyHeights } from './empty-heights.ts'
import { createFlashblocks, type Flashblocks, type FlashblocksOptions } from './flashblocks.ts'
import { createNeededBlocks, isNull } from './needed-blocks.ts'
import { createReportedNonces, type ReportedNonces } from '../transactions/reported-nonces.ts'
import { createUpstreamHeights } from './upstream-heights.ts'

/** The view of a network's chain, as its pool and its operators need it. */
export interface Chain extends Pick<ReportedNonces, 'overtaken' | 'accepted' | 'mayPass' | 'recover'> {
  readonly view: ChainView
  /** Whether callers hear of it from one upstream and one process alone, so that nothing is taken back. */
  readonly isLone: boolean
  /** Why an upstream must be left alone; undefined where it need not. */
  exclusionOf(candidate: Candidate): HostReason | undefined
  /** Whether an upstream lacks the block that a call needs. */
  excludes(candidate: Candidate, call: SelectionCall): CallReason | undefined
  lagOf(candidate: Candidate): number
  /** The served head, where it is known now and no lower than what callers were told; it counts as told. */
  headToPin(): Position | undefined
  /** Waits until the chain of an upstream is known. */
  ready(candidate: Candidate, context: RpcContext): Promise<void> | undefined
  /** Takes note that callers are told the served head; resolves when all replicas know. Undefined where there are none. */
  reportHead(): Promise<unknown> | undefined
  /** Takes note of the head, or the nonce, that an answer tells, or of the transaction that it accepts. */
  answered(endpoint: Endpoint, request: RpcRequest, response: RpcResponse, tenant: string | undefined): void
  /** Whether an answer tells a head or a nonce. */
  reports(request: RpcRequest, response: RpcResponse): boolean
  /** Whether callers were told meanwhile what an answer takes back. */
  isOutdated(request: RpcRequest, response: RpcResponse): boolean
  /** The highest head that callers were told. */
  reportedHead(): number
  /** Resolves when all replicas know what was told here so far. Undefined where there are none. */
  readonly settled: (() => Promise<unknown>) | undefined
  /**
   * Whether an answer takes back what callers were told, has no block that they were told of, or tells a head that the chain cannot have
   * reached; or has nothing where another upstream may have something that may be asked under `context`.
   */
  isInvalid(endpoint: Endpoint, request: RpcRequest, response: RpcResponse, context?: CallTenant): boolean
  /** The head, or the safe or finalized block, that an answer tells, if the chain cannot have reached it by all that is known. */
  unbelieved(request: RpcRequest, response: RpcResponse): number | undefined
  /** Whether the head that an answer tells is believed by now; it counts as told then. */
  believes(request: RpcRequest, response: RpcResponse): boolean
  /** Names what an answer takes back, for people; undefined: nothing. */
  takenBack(request: RpcRequest, response: RpcResponse): string | undefined
  /**
   * The question for the head at which a call is about to be answered, where that has to count as told; undefined: it has not. Of a call that is
   * not pinned to the served head, since its tenant has just written or callers were told of a later one.
   */
  headAfter(request: RpcRequest, tenant: string | undefined): RpcRequest | undefined
  /** The height that an upstream has to have for a call, by all that is known now; undefined where any will do. */
  needed(request: RpcRequest): number | undefined
  /** The latest block of an upstream, by name, if it told it within a block's time and callers were told of no later one. */
  latestOf(endpoint: string): number | undefined
  /** Has upstreams below a height asked for their heads soon. */
  pollSoon(height: number): void
  /** Stops listening to other processes, and examining upstreams. */
  close(): void
  /** The upstreams that tell parts of blocks before they are sealed; undefined where one node is all there is, or the family has none. */
  readonly flashblocks: Flashblocks | undefined
  /** Whether an upstream is asked before others for a call. Default: none is. */
  readonly prefers: ((endpoint: Endpoint, request: RpcRequest) => boolean) | undefined
  /** The part of the history that each upstream has; undefined where one node is all there is, or the family prunes nothing. */
  readonly capabilities: Capabilities | undefined
}

/** Blocks so near below the head that was told are not yet everywhere. */
const nearHead = 2

export function createChain(options: ChainOptions): Chain {
  const { network, kind, endpoints, reader, reported, projects, clock, log } = options
  const names = new Map(endpoints.map((endpoint) => [endpoint.name, endpoint]))
  /** Where one node is all there is, nobody else could have what it lacks. */
  const isAlone = names.size < 2
  const nonces = createReportedNonces({ network, kind, isAlone, projects, reported, clock, log })
  let hasReorganized = false
  /** The served head that was announced last. */
  let announced: Position | undefined
  const announcing = createAnnouncedHead(reported, () => view, clock)
  const noteChange = chainChanges(network, log)
  const view: ChainView = (options.own?.openView ?? createChainView)({
    endpoints,
    reader,
    clock,
    isOnDemand: options.isOnDemand,
    // A lone node is believed at once when its owner sets its chain back.
    ...(isAlone && { holdMs: 0 }),
    onAsk: options.onAsk,
    onChange(endpoint, now, before) {
      noteChange(endpoint, now, before)
      announcing.changed(endpoint, now)
    },
  })
  reportClockDifference(network, endpoints, view, log)
  const upstreams = createUpstreamHeights({ endpoints, view, clock })
  const asked = {
    endpoints: options.own?.examined ?? endpoints,
    onAsk: options.own?.onExamine ?? ((endpoint, request) => options.onAsk(endpoint, 'chain', request)),
  } satisfies Partial<FlashblocksOptions>
  const flashblocks =
    isAlone || kind.flashblocks === undefined
      ? undefined
      : createFlashblocks({ ...asked, kind: kind.flashblocks, view, mayAsk: options.mayExamine, clock })
  const blocks = createNeededBlocks({ kind, isAlone, served: servedHeight })
  const empty = createEmptyHeights({ heightOf: blocks.heightOf, served: servedHeight })
  const capabilities =
    isAlone || kind.history === undefined
      ? undefined
      : createCapabilities({
          ...options,
          ...asked,
          kind: empty.allowedIn(kind.history),
          served: servedHeight,
          heightOf: upstreams.of,
          isFresh: upstreams.isFresh,
          heightOfBlock: blocks.heightOf,
        })
  const suits = capabilities?.prefers ?? (() => true)

  /** The highest block that callers may know of; a replica may have told heads before this one knows any. */
  function servedHeight(): number | undefined {
    const isKnown = view.head !== undefined || reported.settled !== undefined
    return isKnown ? Math.max(view.head?.number ?? 0, reported.head) : undefined
  }

  /** Whether a head is not believed, as an upstream may lie: beyond the others by eight blocks, and by what the chain can have made. */
  function isBeyond(number: number): boolean {
    if (view.head === undefined) return true
    const most = Math.max(view.head.number, upstreams.reached()) + Math.max(8, Math.ceil(4_000 / view.blockTimeMs))
    return number > Math.max(most, view.plausible!)
  }
  function isServing(endpoint: Endpoint): boolean {
    const { health, isLost } = view.of(endpoint)
    return health === 'good' && !isLost
  }

  const report = (number: number, source: HeadSource): void => {
    if (number < reported.head || isBeyond(number)) return
    if (number > reported.head) pollSoon(number)
    announcing.raise(number, source)
  }
  function pollSoon(height: number): void {
    for (const endpoint of endpoints) {
      if ((upstreams.of(endpoint) ?? 0) < height) view.observed(endpoint, { number: height })
    }
  }
  function remember(header: Header, isServed: boolean): void {
    blocks.remember(header)
    empty.learn(header, isServed)
  }
  // Where the chain itself goes back, so does the view.
  view.watch(({ kind: what, at, header }) => {
    if (what === 'new') remember((header && reader.positionOfPush?.(header)) ?? at, true)
    else {
      blocks.forget(at.hash)
      empty.clear()
      capabilities?.dropped(at.number)
    }
    if (what === 'new' && hasReorganized && at.number < reported.head) reported.lower(at.number)
    hasReorganized = what === 'dropped'
  })

  // The answer that another replica got counts as if it had come here.
  const stopWatching = reported.watch?.((number, { hash, by }) => {
    const endpoint = by === undefined ? undefined : names.get(by)
    if (endpoint !== undefined) upstreams.answered(endpoint, number)
    if (hash !== undefined) blocks.remember({ number, hash })
    pollSoon(number)
  })

  function unbelieved(request: RpcRequest, response: RpcResponse): number | undefined {
    if (isAlone || view.head === undefined) return undefined
    const number = kind.latestOf?.(request, response) ?? kind.settledOf?.(request, response)
    return number !== undefined && isBeyond(number) ? number : undefined
  }

  function takenBack(request: RpcRequest, response: RpcResponse): string | undefined {
    if (isAlone) return undefined
    const absent = capabilities?.lacksReported(request, response)
    if (absent !== undefined) return `block ${absent}`
    const number = kind.latestOf?.(request, response)
    if (number !== undefined) return number < reported.head ? `block ${reported.head}` : undefined
    return nonces.takenBack(request, response)
  }

  return {
    view,
    isLone: isAlone && reported.settled === undefined,
    exclusionOf({ endpoint }) {
      const { chain, health, isLost } = view.of(endpoint)
      if (chain === 'wrong') return 'wrong_chain'
      return isLost && endpoints.some((other) => view.of(other).health === 'good') ? 'unasked' : reasons[health]
    },
    excludes({ endpoint }, { request }) {
      const height = blocks.heightFor(request)
      const known = height === undefined ? undefined : upstreams.of(endpoint)
      // It may have got further since; one that has not says so.
      if (known !== undefined && known < height! && (upstreams.isFresh(endpoint) || !capabilities?.showsLack(request)))
        return 'needs_block'
      return capabilities?.excludes(endpoint, request)
    },
    lagOf: ({ endpoint }) => view.of(endpoint).lag,
    headToPin() {
      view.wanted()
      const { head } = view
      const isFollowed = endpoints.some(isServing)
      if (head === undefined || head.number < reported.head || !isFollowed) return undefined
      if (head !== announced || head.number !== reported.head) report(head.number, head)
      announced = head
      return head
    },
    reportHead() {
      if (view.head !== undefined) report(view.head.number, view.head)
      return reported.settled?.()
    },
    ready: ({ endpoint }, context) => view.known(endpoint, context),
    answered(endpoint, request, response, tenant) {
      // Others must not learn of private transactions, nor be asked elsewhere for them.
      const isOwn = projects.isPrivate(tenant)
      if (!isOwn || !kind.history?.acceptedBy(request, response)) capabilities?.answered(endpoint, request, response)
      const number = kind.headOf(request, response)
      if (number !== undefined) {
        if (flashblocks?.isUnsealed(endpoint, request, number) === true) return
        upstreams.answered(endpoint, number)
        // A block near the head may be asked for by its hash next.
        const head = isAlone || number < reported.head - nearHead ? undefined : reader.positionOf(response)
        if (head !== undefined) remember(head, false)
        report(number, { hash: head?.hash, by: endpoint.name })
        return
      }
      nonces.answered(request, response, tenant)
    },
    reports: (...answer) => [kind.headOf, kind.nonceOf].some((read) => read?.(...answer) !== undefined),
    isOutdated(request, response) {
      const ofNonce = nonces.isOutdated(request, response)
      return ofNonce ?? (kind.latestOf?.(request, response) ?? reported.head) < reported.head
    },
    reportedHead: () => reported.head,
    close() {
      stopWatching?.()
      announcing.close()
      capabilities?.close()
      flashblocks?.close()
    },
    settled: reported.settled && (() => reported.settled!()),
    isInvalid(endpoint, request, response, context) {
      if (unbelieved(request, response) !== undefined || takenBack(request, response) !== undefined) return true
      const isMissing = capabilities?.isMissing(endpoint, request, response, context)
      return isMissing ?? (isNull(response) && blocks.heightFor(request) !== undefined)
    },
    unbelieved,
    believes(request, response) {
      if (unbelieved(request, response) !== undefined) return false
      const { number, hash } = reader.positionOf(response) ?? { number: kind.latestOf?.(request, response) }
      if (number !== undefined) report(number, { hash, by: response.meta?.endpoint })
      return true
    },
    takenBack,
    latestOf(name) {
      const { head, chain, isLost, saidAt } = view.of(names.get(name)!)
      const isFresh = chain === 'right' && !isLost && clock.now() - saidAt <= view.blockTimeMs
      return isFresh && head !== undefined && head.number >= reported.head ? head.number : undefined
    },
    overtaken: nonces.overtaken,
    accepted: nonces.accepted,
    mayPass: nonces.mayPass,
    recover: nonces.recover,
    headAfter(request, tenant) {
      // A node that is all there is takes nothing back, unless another process pins calls to a head before it hears of the next one.
      if (view.head === undefined || (isAlone && reported.settled === undefined)) return undefined
      return view.head.number >= reported.head && !nonces.hasWritten(tenant) ? undefined : kind.headAfter?.(request)
    },
    needed: blocks.needed,
    capabilities,
    flashblocks,
    prefers: flashblocks
      ? (endpoint, request) =>
          flashblocks.isPossible
            ? flashblocks.prefers(endpoint, request, (other) => suits(other, request))
            : suits(endpoint, request)
      : capabilities?.prefers,
    pollSoon,
  }
}
