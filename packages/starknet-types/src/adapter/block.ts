import type { Adapter } from './answer.ts'
import { isMembers, lacking, type Members, without } from './members.ts'
import { isBefore, type Pair } from './unsaid.ts'

/** What the header of a block in 0.10 has beside that of 0.9. */
const commitments = [
  'event_commitment',
  'transaction_commitment',
  'receipt_commitment',
  'state_diff_commitment',
  'event_count',
  'transaction_count',
  'state_diff_length',
]

/** The header of a block. Members that a version does not have stay where they are. */
export function adaptBlock(pair: Pair): Adapter {
  const { caller, endpoint } = pair
  if (isBefore(endpoint, caller)) {
    if (isBefore(endpoint, '0.7') && !isBefore(caller, '0.7')) return { lacks: 'l1_data_gas_price and l1_da_mode' }
    if (isBefore(endpoint, '0.8') && !isBefore(caller, '0.8')) return { lacks: 'l2_gas_price' }
    return endpoint === '0.5.1' ? (block) => inFri(pair, block) : (block) => checkNewer(pair, block)
  }
  const wasPreConfirmed = !isBefore(endpoint, '0.9') && isBefore(caller, '0.9')
  if (caller !== '0.5.1' && !wasPreConfirmed) return undefined
  return (block) => {
    if (wasPreConfirmed && isInTheMaking(block)) throw lacking(pair, 'parent_hash')
    return caller === '0.5.1' ? renamed(block, 'price_in_fri', 'price_in_strk') : block
  }
}

function checkNewer(pair: Pair, block: Members): Members {
  if (isInTheMaking(block)) {
    if (isBefore(pair.endpoint, '0.9')) throw lacking(pair, 'block_number')
    return block
  }
  if (pair.caller === '0.10') for (const name of commitments) if (block[name] === undefined) throw lacking(pair, name)
  return block
}

/** 0.5.1 calls the price in fri one in strk, and may leave it out. */
function inFri(pair: Pair, block: Members): Members {
  const price = block['l1_gas_price']
  if (isMembers(price) && price['price_in_strk'] === undefined) throw lacking(pair, 'l1_gas_price.price_in_fri')
  return renamed(block, 'price_in_strk', 'price_in_fri')
}

function renamed(block: Members, from: string, to: string): Members {
  const price = block['l1_gas_price']
  if (!isMembers(price) || price[from] === undefined) return block
  return { ...block, l1_gas_price: { ...without(price, [from]), [to]: price[from] } }
}

/** Whether the sequencer has not closed the block: it has no hash. */
function isInTheMaking(block: Members): boolean {
  return block['block_hash'] === undefined
}
