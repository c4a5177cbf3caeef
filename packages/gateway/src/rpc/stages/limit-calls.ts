import { RpcError, type RpcMiddleware } from '@wayleave/jsonrpc-core'
import type { FairShare } from '@wayleave/upstream'
import type { GatewayContext } from '../../context/context.ts'

export interface LimitCallsOptions {
  /** The calls in flight of the whole process, by project. */
  readonly calls: FairShare
  /** Called with the id of a project whose call was refused. */
  readonly onRefusedCall: (project: string) => void
}

/** Caps the calls of a project that are in flight or wait, over all its connections. */
export function limitCalls({ calls, onRefusedCall }: LimitCallsOptions): RpcMiddleware<GatewayContext> {
  return (next) => (request, context) => {
    const tenant = context.caller.principal.project.id
    if (!calls.take(tenant, 1)) {
      onRefusedCall(tenant)
      return Promise.reject(tooManyCalls)
    }
    const give = (): void => calls.give(tenant, 1)
    try {
      const answer = next(request, context)
      answer.then(give, give)
      return answer
    } catch (thrown) {
      give()
      throw thrown
    }
  }
}

const message = 'too many calls of this project are in flight (limits.maxCalls)'
const tooManyCalls = new RpcError('overloaded', message, { delivery: 'not_sent', rpc: { code: -32005, message } })
