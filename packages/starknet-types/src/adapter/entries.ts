import { isBefore } from '../versions.ts'
import { type Adapter, lacking, type Members } from './members.ts'
import { type Pair, untranslatable } from './untranslatable.ts'

/** The nearest word up to 0.8 for a status of 0.9 and later. */
const nearest: Readonly<Record<string, string>> = { CANDIDATE: 'RECEIVED', PRE_CONFIRMED: 'ACCEPTED_ON_L2' }

/** Adapts the answer of `starknet_getTransactionStatus`. */
export function adaptStatus(pair: Pair): Adapter {
  if (isBefore(pair.endpoint, '0.9') === isBefore(pair.caller, '0.9')) return undefined
  return (status) => {
    if (!isBefore(pair.caller, '0.9') && status['finality_status'] === 'REJECTED')
      throw untranslatable(pair, `the transaction was rejected, and ${pair.caller} has no finality_status REJECTED`)
    return isBefore(pair.caller, '0.9') ? toOlder(status) : status
  }
}

/** Adapts an entry of `starknet_getMessagesStatus`, which is in 0.8 and later. */
export function adaptMessageStatus(pair: Pair): Adapter {
  if (isBefore(pair.endpoint, '0.9') === isBefore(pair.caller, '0.9')) return undefined
  return (status) => {
    if (isBefore(pair.caller, '0.9')) return toOlder(status)
    // From 0.9 on only messages that arrived are listed.
    const { finality_status: finality } = status
    if (typeof finality !== 'string' || !finality.startsWith('ACCEPTED'))
      throw lacking(pair, 'finality_status ACCEPTED')
    if (status['execution_status'] === undefined) throw lacking(pair, 'execution_status')
    return status
  }
}

function toOlder(status: Members): Members {
  const { finality_status } = status
  if (typeof finality_status !== 'string' || !Object.hasOwn(nearest, finality_status)) return status
  return { ...status, finality_status: nearest[finality_status] }
}

/** Adapts an entry of `starknet_getEvents`: 0.10 says where in its block it stands. */
export function adaptEvent(pair: Pair): Adapter {
  if (pair.caller !== '0.10') return undefined
  return () => {
    throw lacking(pair, 'transaction_index')
  }
}

/** Adapts the answer of `starknet_getStateUpdate`: 0.10 may leave out the root before a block in the making. */
export function adaptStateUpdate(pair: Pair): Adapter {
  if (pair.endpoint !== '0.10') return undefined
  return (update) => {
    if (update['old_root'] === undefined) throw lacking(pair, 'old_root')
    return update
  }
}
