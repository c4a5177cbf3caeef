import { RpcError, type RpcErrorObject, type RpcRequest, type RpcResponse } from '@wayleave/jsonrpc-core'
import type { NetworkKind } from '@wayleave/network'
import { statusOf } from '../errors.ts'
import { callerLeftStatus } from '../metering/meter-request.ts'
import type { CallFailure } from '../telemetry/call-labels.ts'

/** Codes of JSON-RPC for a call that is wrong in itself. */
const wrongCalls: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602])

/** Tells how a call ended that was answered with an error. */
export function failureOfAnswer(
  request: RpcRequest,
  error: RpcErrorObject,
  meta: RpcResponse['meta'],
  { actionOf }: Pick<NetworkKind, 'actionOf'>,
): CallFailure {
  return {
    outcome: outcomeOfAnswer(request, error, meta?.endpoint !== undefined, actionOf),
    status: 200,
    code: error.code,
  }
}

function outcomeOfAnswer(
  request: RpcRequest,
  error: RpcErrorObject,
  isOfNode: boolean,
  actionOf: NetworkKind['actionOf'],
): CallFailure['outcome'] {
  if (wrongCalls.has(error.code)) return 'caller'
  if (!isOfNode) return error.code === -32005 ? 'limited' : error.code === -32603 ? 'gateway' : 'caller'
  switch (actionOf(request, error)) {
    case 'final':
      return 'execution'
    case 'remember':
    case 'pruned':
    case 'lagging':
    case 'range':
      return 'caller'
    default:
      return 'upstream'
  }
}

/** Tells how a call ended that no peer answered. */
export function failureOfRejection(thrown: unknown): CallFailure {
  if (!(thrown instanceof RpcError)) return { outcome: 'gateway', status: 500, code: 'internal' }
  const { code } = thrown
  const status = code === 'aborted' ? callerLeftStatus : statusOf(thrown)
  return { outcome: outcomeOfRejection(thrown, status), status, code }
}

function outcomeOfRejection(why: RpcError, status: number): CallFailure['outcome'] {
  switch (why.code) {
    case 'aborted':
    // The answer is longer than limits let any be: the same call would meet the same cap.
    case 'too_large':
      return 'caller'
    case 'denied':
      return status === 429 || status === 402 ? 'limited' : 'caller'
    case 'overloaded':
      // Without words of its own, it waited for an upstream with room.
      return why.rpc === undefined ? 'upstream' : why.rpc.code === -32005 ? 'limited' : 'gateway'
    case 'unavailable':
      return why.cause === undefined || why.cause instanceof RpcError || why.rpc !== undefined ? 'upstream' : 'gateway'
    default:
      return 'upstream'
  }
}
