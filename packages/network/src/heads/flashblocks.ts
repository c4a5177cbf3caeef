import { type Clock, type RpcContext, type RpcMiddleware, type RpcRequest } from '@wayleave/jsonrpc-core'
import { type ChainView, createExaminer, type Endpoint, type ExaminerOptions } from '@wayleave/upstream'
import type { FlashblocksKind } from '../kinds/evm-flashblocks.ts'
import { hintsOf, withHints } from '../hints/call-hints.ts'

/** The upstreams that tell parts of blocks before they are sealed. */
export interface Flashblocks {
  /** Has calls that may see such parts go to the upstreams that have them, those of a project to one of these. */
  readonly stage: RpcMiddleware<RpcContext>
  /** Whether the chain's nodes may have such parts, by its headers: else `prefers` needs not be asked. */
  readonly isPossible: boolean
  /** Whether a call is to go to an upstream before others. `suits`: whether an upstream is as good as any for it otherwise. */
  prefers(endpoint: Endpoint, request: RpcRequest, suits: (endpoint: Endpoint) => boolean): boolean
  /** Whether a height that an answer names may be of a block that its upstream has not sealed: it is no head yet. */
  isUnsealed(endpoint: Endpoint, request: RpcRequest, number: number): boolean
  close(): void
}

export interface FlashblocksOptions {
  readonly kind: FlashblocksKind
  /** The upstreams, as they are asked about themselves. */
  readonly endpoints: readonly Endpoint[]
  readonly view: Pick<ChainView, 'watch' | 'of'>
  readonly mayAsk: (endpoint: Endpoint, question?: RpcRequest) => boolean
  readonly onAsk: NonNullable<ExaminerOptions['onAsk']>
  readonly clock: Clock
}

/** Time from a question that could not be asked to the next, in ms. */
const retryMs = 500

export function createFlashblocks(options: FlashblocksOptions): Flashblocks {
  const { kind, endpoints, view, mayAsk, clock } = options
  /** By name; absent: not known yet. */
  const known = new Map<string, boolean>()
  let isPossible: boolean | undefined
  let isThere = false
  const examiner = createExaminer({
    endpoints: endpoints.filter(({ name }, i) => endpoints.findIndex((other) => other.name === name) === i),
    clock,
    mayAsk,
    onAsk: options.onAsk,
    retryMs,
    async examine(endpoint, ask) {
      if (!mayAsk(endpoint, kind.question)) return false
      known.set(endpoint.name, kind.has(await ask(kind.question)))
      isThere = [...known.values()].includes(true)
      return true
    },
  })
  const stop = view.watch(({ header }) => {
    if (header === undefined || isPossible === false) return
    isPossible ??= kind.isPossible(header)
  })

  return {
    get isPossible() {
      return isPossible === true
    },
    stage: (next) => (request, context) => {
      if (!isThere || !kind.sees(request)) return next(request, context)
      // A call of a sender goes to the upstream of its sender, of those that have them.
      return next(withHints(request, { isUnsealed: true, sender: `project ${context.tenant ?? ''}` }), context)
    },
    prefers(endpoint, request, suits) {
      examiner.wanted()
      if (!suits(endpoint)) return false
      if (!isThere || !hintsOf(request).isUnsealed || known.get(endpoint.name) === true) return true
      return !endpoints.some((other) => known.get(other.name) === true && suits(other))
    },
    isUnsealed(endpoint, request, number) {
      if (isPossible !== true || known.get(endpoint.name) === false || !kind.mayReport(request)) return false
      return number > (view.of(endpoint).head?.number ?? -1)
    },
    close() {
      stop()
      examiner.close()
    },
  }
}
