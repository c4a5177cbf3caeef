import { isBefore, type StarknetVersion } from '../versions.ts'
import { type Adapter, filled, hexOf, isMembers, lacking, type Members, numberOf, without } from './members.ts'
import { gasToSteps } from './trace.ts'
import type { Pair } from './untranslatable.ts'

/** Counts of 0.5.1 beside steps and, where there are any, memory holes. */
const builtins = ['range_check', 'pedersen', 'poseidon', 'ec_op', 'ecdsa', 'bitwise', 'keccak'].map(
  (name) => `${name}_builtin_applications`,
)

/** The way in which a version counts resources: Cairo steps in hex, in numbers, with the gas of data, or gas. */
function countingIn(version: StarknetVersion): 'hex' | 'steps' | 'data' | 'gas' {
  if (version === '0.5.1') return 'hex'
  if (version === '0.6') return 'steps'
  return version === '0.7' ? 'data' : 'gas'
}

/** Adapts a receipt, alone or in a block, where the block says what the receipt itself does not. */
export function adaptReceipt(pair: Pair, inBlock: boolean): Adapter {
  const { caller, endpoint } = pair
  const up = isBefore(endpoint, caller)
  const from = countingIn(endpoint)
  const to = countingIn(caller)
  const becomesPreConfirmed = up && isBefore(endpoint, '0.9') && !isBefore(caller, '0.9')
  const wasPreConfirmed = !up && !isBefore(endpoint, '0.9') && isBefore(caller, '0.9')
  if (up && from !== to && to !== 'steps') return { lacks: `execution_resources in the terms of ${caller}` }
  const countsAlike = from === to || (from === 'data' && to === 'steps')
  if (countsAlike && !becomesPreConfirmed && !wasPreConfirmed) return undefined
  return (receipt) => {
    if (becomesPreConfirmed && !inBlock && receipt['block_number'] === undefined) throw lacking(pair, 'block_number')
    let adapted = receipt
    if (from === 'hex') adapted = fromHex(pair, adapted)
    if (wasPreConfirmed) adapted = toPending(adapted)
    if (to === 'hex') adapted = toHex(pair, adapted)
    if (from === 'gas' && to === 'data') return gasToSteps(pair, adapted)
    if (from === 'gas' && to === 'steps')
      return filled({ ...adapted, execution_resources: { steps: 0 } }, pair, ['execution_resources'])
    return adapted
  }
}

/** Types whose transactions pay in wei in every version; the others pay in fri from version 3 on. */
const paidInWei: readonly unknown[] = ['L1_HANDLER', 'DEPLOY']

/** A receipt of 0.5.1 for 0.6. It does not tell the version of its transaction, which says what the fee is counted in. */
function fromHex(pair: Pair, receipt: Members): Members {
  const { actual_fee, execution_resources } = receipt
  if (typeof actual_fee !== 'string') throw lacking(pair, 'actual_fee')
  if (!isMembers(execution_resources)) throw lacking(pair, 'execution_resources')
  const counts = Object.entries(execution_resources).map(([name, count]) => [name, numberOf(pair, name, count)])
  const adapted = {
    ...receipt,
    actual_fee: { amount: actual_fee, unit: 'WEI' },
    execution_resources: Object.fromEntries(counts),
  }
  return paidInWei.includes(receipt['type']) ? adapted : filled(adapted, pair, ['actual_fee.unit'])
}

/** A receipt for 0.5.1: the fee without its unit, and each count in hex, none of those that are not told. */
function toHex(pair: Pair, receipt: Members): Members {
  const { actual_fee, execution_resources } = receipt
  if (!isMembers(actual_fee) || actual_fee['amount'] === undefined) throw lacking(pair, 'actual_fee')
  if (!isMembers(execution_resources)) throw lacking(pair, 'execution_resources')
  const { steps, memory_holes } = execution_resources
  const counts: Record<string, string> = {}
  for (const name of ['steps', ...builtins]) counts[name] = hexOf(pair, name, execution_resources[name] ?? 0)
  if (memory_holes !== undefined) counts['memory_holes'] = hexOf(pair, 'memory_holes', memory_holes)
  const adapted = { ...receipt, actual_fee: actual_fee['amount'], execution_resources: counts }
  return filled(adapted, pair, steps === undefined ? ['execution_resources'] : [])
}

/** Up to 0.8 a transaction of the block in the making is ACCEPTED_ON_L2, in no block yet. */
function toPending(receipt: Members): Members {
  const { finality_status, block_number, block_hash } = receipt
  if (finality_status !== 'PRE_CONFIRMED') return receipt
  const inNoBlock = block_hash === undefined && block_number !== undefined
  return { ...(inNoBlock ? without(receipt, ['block_number']) : receipt), finality_status: 'ACCEPTED_ON_L2' }
}
