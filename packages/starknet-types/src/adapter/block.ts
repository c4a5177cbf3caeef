import { isBefore } from '../versions.ts'
import { type Adapter, filled, isMembers, lacking, type Members, without } from './members.ts'
import { type Pair, untranslatable } from './untranslatable.ts'

/** Adapts the header of a block. */
export function adaptBlock(pair: Pair): Adapter {
  const { caller, endpoint } = pair
  if (isBefore(endpoint, caller)) return (block) => toNewer(pair, block)
  const wasPreConfirmed = !isBefore(endpoint, '0.9') && isBefore(caller, '0.9')
  if (caller !== '0.5.1' && !wasPreConfirmed) return undefined
  return (block) => {
    if (wasPreConfirmed && isInTheMaking(block)) throw lacking(pair, 'parent_hash')
    const adapted = caller === '0.5.1' ? renamed(block, 'price_in_fri', 'price_in_strk') : block
    return wasPreConfirmed ? withStatus(adapted, 'PRE_CONFIRMED', 'PENDING') : adapted
  }
}

function toNewer(pair: Pair, block: Members): Members {
  const { caller, endpoint } = pair
  const since = (version: '0.7' | '0.8'): boolean => isBefore(endpoint, version) && !isBefore(caller, version)
  if (isInTheMaking(block) && isBefore(endpoint, '0.9') && !isBefore(caller, '0.9')) throw lacking(pair, 'block_number')
  let adapted = endpoint === '0.5.1' ? inFri(pair, block) : block
  if (isBefore(endpoint, '0.9') && !isBefore(caller, '0.9')) {
    if (block['status'] === 'REJECTED')
      throw untranslatable(pair, `the block was rejected, and ${caller} has no status REJECTED`)
    adapted = withStatus(adapted, 'PENDING', 'PRE_CONFIRMED')
  }
  if (since('0.7')) adapted = asBefore(pair, adapted, 1, { l1_data_gas_price: noPrice, l1_da_mode: 'CALLDATA' })
  if (since('0.8')) adapted = asBefore(pair, adapted, 4, { l2_gas_price: noPrice })
  return caller === '0.10' && !isInTheMaking(block) ? withCommitments(pair, adapted) : adapted
}

/** Says a block's status in the caller's word; a block that has a hash may still be one that is not accepted. */
function withStatus(block: Members, theirs: string, ours: string): Members {
  return block['status'] === theirs ? { ...block, status: ours } : block
}

const noPrice = { price_in_wei: '0x0', price_in_fri: '0x0' }

/** Adds to an older block the members that came with Starknet 0.13.`patch`. @throws UntranslatableError for a block since then */
function asBefore(pair: Pair, block: Members, patch: number, members: Members): Members {
  const missing = Object.keys(members).filter((name) => block[name] === undefined)
  if (missing.length === 0) return block
  if (!isBeforeStarknet_0_13(patch, block['starknet_version'])) throw lacking(pair, missing[0]!)
  return filled({ ...members, ...block }, pair, missing)
}

/** The first blocks name no release. */
function isBeforeStarknet_0_13(patch: number, version: unknown): boolean {
  if (typeof version !== 'string') return false
  const [, minor, of = 0] = /^0\.(\d{1,3})(?:\.(\d{1,3}))?(?:\.\d+)*$/.exec(version) ?? []
  return version === '' || Number(minor) < 13 || (minor === '13' && Number(of) < patch)
}

/** Members that are zero where a node does not have them, as the document of 0.10 says; it says so of no count. */
const commitments = {
  event_commitment: '0x0',
  transaction_commitment: '0x0',
  receipt_commitment: '0x0',
  state_diff_commitment: '0x0',
  state_diff_length: 0,
}

/**
 * Whether a block is asked for with its receipts: 0.10 counts the events of a block, and from 0.7 on the receipts of an older node
 * tell them. The block in the making has no count.
 */
export function countsEvents({ caller, endpoint }: Pair, method: string, named: Members | undefined): boolean {
  if (caller !== '0.10' || isBefore(endpoint, '0.7') || named?.['block_id'] === 'pre_confirmed') return false
  return method === withHashes || method === 'starknet_getBlockWithTxs'
}

const withHashes = 'starknet_getBlockWithTxHashes'

/** Turns a block with receipts into the answer of the method that was called, with the count of its events. @throws UntranslatableError */
export function withoutReceipts(pair: Pair, method: string, block: unknown): unknown {
  if (!isMembers(block) || !Array.isArray(block['transactions'])) return block
  const transactions = block['transactions'].map((each: unknown) => {
    const { transaction, receipt } = isMembers(each) ? each : {}
    if (!isMembers(transaction) || !isMembers(receipt)) throw lacking(pair, 'receipts')
    const { transaction_hash } = receipt
    return method === withHashes ? transaction_hash : { ...transaction, transaction_hash }
  })
  return { event_count: eventsIn(block['transactions']), ...block, transactions }
}

/** Counts the events in receipts; undefined where one does not tell them. */
function eventsIn(transactions: readonly unknown[]): number | undefined {
  const receipts = transactions.map((each) => (isMembers(each) ? each['receipt'] : undefined))
  const events = receipts.map((receipt) => (isMembers(receipt) ? receipt['events'] : undefined))
  return events.every((list) => Array.isArray(list)) ? events.reduce((sum, list) => sum + list.length, 0) : undefined
}

function withCommitments(pair: Pair, block: Members): Members {
  const { transactions } = block
  if (!Array.isArray(transactions)) throw lacking(pair, 'transactions')
  const event_count = block['event_count'] ?? eventsIn(transactions)
  if (event_count === undefined) throw lacking(pair, 'event_count')
  const unknown = Object.keys(commitments).filter((name) => block[name] === undefined)
  return filled({ ...commitments, event_count, transaction_count: transactions.length, ...block }, pair, unknown)
}

/** 0.5.1 calls the price in fri one in strk, and may leave it out. */
function inFri(pair: Pair, block: Members): Members {
  const named = renamed(block, 'price_in_strk', 'price_in_fri')
  const price = named['l1_gas_price']
  if (isMembers(price) && price['price_in_fri'] === undefined) throw lacking(pair, 'l1_gas_price.price_in_fri')
  return named
}

/** Renames a member of the price of gas; a price that has both names keeps them. */
function renamed(block: Members, from: string, to: string): Members {
  const price = block['l1_gas_price']
  if (!isMembers(price) || price[from] === undefined || price[to] !== undefined) return block
  return { ...block, l1_gas_price: { ...without(price, [from]), [to]: price[from] } }
}

/** Whether the sequencer has not closed the block: it has no hash. */
function isInTheMaking(block: Members): boolean {
  return block['block_hash'] === undefined
}
