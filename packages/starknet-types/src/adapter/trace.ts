import { isBefore } from '../versions.ts'
import { type Adapter, filled, isMembers, lacking, type Members } from './members.ts'
import type { Pair } from './untranslatable.ts'

/** Members of a trace that are calls. */
export const invocations: readonly string[] = [
  'validate_invocation',
  'execute_invocation',
  'constructor_invocation',
  'function_invocation',
  'fee_transfer_invocation',
]

/** Adapts the trace of a transaction. */
export function adaptTrace(pair: Pair): Adapter {
  const { caller, endpoint } = pair
  if (isBefore(endpoint, caller)) {
    if (!isBefore(endpoint, '0.8')) return undefined
    if (!isBefore(caller, '0.8')) return { lacks: 'the gas of each call and whether it was reverted' }
    if (caller === '0.7') return { lacks: 'the execution_resources of a transaction' }
    return { lacks: 'the execution_resources of each call' }
  }
  const checksHandler = !isBefore(endpoint, '0.9') && isBefore(caller, '0.9')
  const countsSteps = !isBefore(endpoint, '0.8') && (caller === '0.6' || caller === '0.7')
  if (!checksHandler && !countsSteps) return undefined
  return (trace) => {
    // Up to 0.8 the call of a reverted L1 handler has no place.
    if (checksHandler && isMembers(trace['function_invocation']) && isRevert(trace['function_invocation']))
      throw lacking(pair, 'function_invocation (the L1 handler was reverted)')
    return countsSteps ? withSteps(pair, trace) : trace
  }
}

/** Puts 0 steps in place of gas: 0.6 and 0.7 require Cairo steps, which nobody knows from 0.8 on. */
function withSteps(pair: Pair, trace: Members): Members {
  const calls: Record<string, unknown> = {}
  for (const name of invocations) {
    const call = trace[name]
    if (isMembers(call) && !isRevert(call)) calls[name] = callWithSteps(pair, call)
  }
  const adapted = { ...trace, ...calls }
  return pair.caller === '0.7' ? gasToSteps(pair, adapted) : adapted
}

function callWithSteps(pair: Pair, call: Members): Members {
  const { calls } = call
  const inner = Array.isArray(calls)
    ? calls.map((each: unknown) => (isMembers(each) ? callWithSteps(pair, each) : each))
    : calls
  return filled({ ...call, calls: inner, execution_resources: { steps: 0 } }, pair, ['execution_resources'])
}

/** Resources of a transaction in 0.7: the gas of its data is known, its steps are not. */
export function gasToSteps(pair: Pair, object: Members): Members {
  const { execution_resources } = object
  const data = isMembers(execution_resources) ? execution_resources['l1_data_gas'] : undefined
  if (data === undefined) throw lacking(pair, 'execution_resources.l1_data_gas')
  const resources = { steps: 0, data_availability: { l1_gas: 0, l1_data_gas: data } }
  const unknown = ['execution_resources.steps', 'execution_resources.data_availability.l1_gas']
  return filled({ ...object, execution_resources: resources }, pair, unknown)
}

function isRevert(call: Members): boolean {
  return 'revert_reason' in call && !('contract_address' in call)
}
