import { printQuantity } from '@wayleave/evm-types'
import type { Clock, RawJson, RpcContext, RpcRequest, RpcResponse } from '@wayleave/jsonrpc-core'
import { createGasCap } from './gas-cap.ts'
import { type GasMember, gasMembers } from './gas-members.ts'
import type { Stage } from './stage.ts'
import { nonArrayArgs, withReplaced } from './rewrite-params.ts'

const noNumber: RpcResponse = {
  error: { code: -32602, message: 'invalid argument 0: gas: a hex quantity was expected' },
}

/**
 * `gas` of `eth_call` and `eth_estimateGas` is at most ten times the latest block's gas limit. `header`: of the served head, where one is
 * followed. Source: Spec §8.
 */
export function gasClampRule(clock: Clock, header?: () => RawJson | undefined): Stage {
  return {
    name: 'the most gas',
    methods: ['eth_call', 'eth_estimateGas'],
    apply(next) {
      const cap = createGasCap(next, clock, header)
      const clampAndAsk = async (
        request: RpcRequest,
        members: readonly GasMember[],
        context: RpcContext,
      ): Promise<RpcResponse> => next(clamped(request, members, await cap.current(context)), context)
      return (request, context) => {
        const { params } = request
        if (params === undefined) return next(request, context)
        const args = params.value()
        if (!Array.isArray(args)) return Promise.resolve(nonArrayArgs)
        const members = gasMembers(args[0], params.text())
        if (members === undefined) return Promise.resolve(noNumber)
        if (members.length === 0 || fits(members, cap.known)) return next(request, context)
        return clampAndAsk(request, members, context)
      }
    },
  }
}

function fits(members: readonly GasMember[], most: bigint | undefined): boolean {
  return most !== undefined && members.every(({ gas }) => gas <= most)
}

/** Lowers the gas of a call to the most that it may have; where that is unknown, the call stays as it is. */
function clamped(request: RpcRequest, members: readonly GasMember[], most: bigint | undefined): RpcRequest {
  if (most === undefined || fits(members, most)) return request
  const by = `"${printQuantity(most)}"`
  const excessive = members.filter(({ gas }) => gas > most)
  return withReplaced(
    request,
    excessive.map(({ start, end }) => ({ start, end, by })),
  )
}
