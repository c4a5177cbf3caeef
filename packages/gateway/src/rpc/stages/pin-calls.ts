import type {
  RpcBatchInfo,
  RpcContext,
  RpcErrorObject,
  RpcHandler,
  RpcMiddleware,
  RpcRequest,
  RpcResponse,
} from '@wayleave/jsonrpc-core'
import type { Position } from '@wayleave/upstream'
import { type NetworkKind, withHints } from '@wayleave/network'
import type { Caller, Consistency, GatewayContext } from '../../context/context.ts'
import { pinnedAt } from '../marks.ts'

export interface PinCallsOptions {
  readonly kind: Pick<NetworkKind, 'pin'>
  /** Finds the block to which the calls of a request are pinned. Default: the gateway knows no heads of this network. */
  readonly headToPin?: Head | undefined
}

type Head = (context: RpcContext) => Promise<Position>

/**
 * Has all calls of a request that asks for it answered at one block: the head when its first call came here. Refuses those of a request
 * whose directives have no meaning.
 */
export function pinCalls({ kind: { pin }, headToPin }: PinCallsOptions): RpcMiddleware<GatewayContext> {
  /** The blocks of requests on their way, by what all calls of one share. */
  const blocks = new WeakMap<Caller | RpcBatchInfo, Promise<Position>>()

  async function find(context: GatewayContext, head: Head, { onBlock }: Consistency): Promise<Position> {
    const block = await head(context)
    onBlock(block)
    return block
  }

  async function ask(
    next: RpcHandler<GatewayContext>,
    request: RpcRequest,
    context: GatewayContext,
    consistency: Consistency,
  ): Promise<RpcResponse> {
    if (pin === undefined || headToPin === undefined) return { error: noHeads }
    const { caller, batch } = context
    const shared = batch ?? caller
    let block = blocks.get(shared)
    if (block === undefined) blocks.set(shared, (block = find(context, headToPin, consistency)))
    const at = await block
    const pinned = pin(request, at)
    const answer =
      'method' in pinned
        ? await next(pinned === request ? request : withHints(pinned, { isPinned: true }), context)
        : pinned
    return caller.inlineMarks === true ? { ...answer, meta: pinnedAt.on(answer.meta ?? {}, at) } : answer
  }

  return (next) => (request, context) => {
    const { consistency, unknownDirective } = context.caller
    if (unknownDirective !== undefined) return Promise.resolve({ error: unknownDirective })
    return consistency === undefined ? next(request, context) : ask(next, request, context, consistency)
  }
}

const noHeads: RpcErrorObject = {
  code: -32600,
  message: 'X-Wayleave-Consistency: pinned is not served by this network: the gateway does not follow its heads',
}
