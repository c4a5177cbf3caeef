import type {
  RpcContext,
  RpcErrorObject,
  RpcHandler,
  RpcMiddleware,
  RpcRequest,
  RpcResponse,
} from '@wayleave/jsonrpc-core'
import type { Position } from '@wayleave/upstream'
import type { NetworkKind } from '../../networks/network-kind.ts'
import type { Caller, Consistency, GatewayContext } from '../context.ts'

export interface PinCallsOptions {
  readonly kind: Pick<NetworkKind, 'pin'>
  /** Finds the block to which the calls of a request are pinned. Default: the gateway knows no heads of this network. */
  readonly headToPin?: Head | undefined
}

type Head = (context: RpcContext) => Promise<Position>

/** Has all calls of a request that asks for it answered at one block: the head when its first call came here. */
export function pinCalls({ kind: { pin }, headToPin }: PinCallsOptions): RpcMiddleware<GatewayContext> {
  /** The blocks of requests on their way. */
  const blocks = new WeakMap<Caller, Promise<Position>>()

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
    if (consistency.asked !== 'pinned') return { error: unknownValue(consistency.asked) }
    if (pin === undefined || headToPin === undefined) return { error: noHeads }
    const { caller } = context
    let block = blocks.get(caller)
    if (block === undefined) blocks.set(caller, (block = find(context, headToPin, consistency)))
    const pinned = pin(request, await block)
    return 'method' in pinned ? next(pinned, context) : pinned
  }

  return (next) => (request, context) => {
    const { consistency } = context.caller
    return consistency === undefined ? next(request, context) : ask(next, request, context, consistency)
  }
}

const header = 'X-Wayleave-Consistency'
const noHeads: RpcErrorObject = {
  code: -32600,
  message: `${header}: pinned is not served by this network: the gateway does not follow its heads`,
}

function unknownValue(value: string): RpcErrorObject {
  return { code: -32600, message: `${header}: expected "pinned", got ${JSON.stringify(value.slice(0, 64))}` }
}
