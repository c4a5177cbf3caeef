import { isBefore } from '../versions.ts'
import { integerOf, isMembers, lacking, type Members } from './members.ts'
import { type Pair, untranslatable, type UntranslatableError } from './untranslatable.ts'

/**
 * Checks that the endpoint's version can say each transaction, exactly as it was signed: its hash covers the version,
 * the bounds and the rest, so nothing in it may be added or left out; one for an estimate, with a query version, too.
 * @throws UntranslatableError
 */
export function checkTransactions(pair: Pair, method: string, param: unknown): void {
  for (const transaction of Array.isArray(param) ? param : [param])
    if (isMembers(transaction)) checkTransaction(pair, method, transaction)
}

function checkTransaction(pair: Pair, method: string, transaction: Members): void {
  const { endpoint } = pair
  const version = versionIn(transaction)
  if (version === undefined) return
  const onlyOld = endpoint === '0.5.1'
  const onlyV3 = !isBefore(endpoint, '0.8')
  if ((onlyOld && version > 2n) || (onlyV3 && version !== 3n)) {
    // 61 is what every version answers to a transaction that is sent; none does for one that is tried out.
    const code = method.startsWith('starknet_add') ? 61 : -32602
    const taken = onlyV3 ? 'only version 3' : 'versions 0 to 2'
    throw untranslatable(pair, `the transaction has version ${version}, and a node of ${endpoint} takes ${taken}`, code)
  }
  if (version !== 3n) return
  const bounds = transaction['resource_bounds']
  if (isMembers(bounds)) {
    const bounded = bounds['l1_data_gas'] !== undefined
    if (onlyV3 && !bounded) throw notInHash(pair, 'no resource_bounds.l1_data_gas', `${endpoint} requires it`)
    if (!onlyV3 && bounded) throw notInHash(pair, 'resource_bounds.l1_data_gas', `it is in 0.8 and later`)
  }
  for (const name of ['proof_facts', 'proof'])
    if (endpoint !== '0.10' && transaction[name] !== undefined) throw notInHash(pair, name, `it is in 0.10 and later`)
}

function notInHash(pair: Pair, what: string, why: string): UntranslatableError {
  return untranslatable(
    pair,
    `the transaction has ${what}: ${why}, and its hash covers it, so it has to be signed for a node of ${pair.endpoint}`,
    -32602,
  )
}

/** The version without the bit that marks a query. */
function versionIn(transaction: Members): bigint | undefined {
  const version = integerOf(transaction['version'])
  return version === undefined ? undefined : version & ((1n << 128n) - 1n)
}

/** A transaction that was read from a node: from 0.8 on, the bounds of version 3 name three resources. */
export function adaptTransaction(pair: Pair): ((transaction: Members) => Members) | undefined {
  if (isBefore(pair.caller, '0.8') || !isBefore(pair.endpoint, '0.8')) return undefined
  return (transaction) => {
    const bounds = transaction['resource_bounds']
    if (isMembers(bounds) && bounds['l1_data_gas'] === undefined) throw lacking(pair, 'resource_bounds.l1_data_gas')
    return transaction
  }
}
