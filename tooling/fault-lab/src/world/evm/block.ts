import type { Hex } from '@wayleave/evm-types'
import { logsBloom, receiptsRoot, transactionsRoot } from '@wayleave/evm-verify'
import { bytes, hex, keccak, minimal, quantity, rlp, word } from './bytes.ts'
import { type State, stateAfter } from './state.ts'
import { baseFee, contract, gasOf, type LabTransaction, price, receiver } from './transactions.ts'

/** A block, with the state after it. */
export interface Block {
  readonly number: number
  readonly hash: Hex
  /** Undefined: the first. */
  readonly parent: Block | undefined
  readonly transactions: readonly LabTransaction[]
  readonly state: State
  /** Unix time, seconds. */
  readonly timestamp: number
  /** `main` is the chain of the network; `forged` and `other` are what liars and strangers serve. */
  readonly chain: 'main' | 'forged' | 'other'
  /** The length of its encoding, in bytes. */
  readonly size: number
  /** Its header as nodes print it. */
  readonly header: Readonly<Record<string, unknown>>
  /** Its receipts as nodes print them. */
  readonly receipts: readonly Receipt[]
}

interface Receipt {
  readonly transactionHash: Hex
  readonly logs: readonly Log[]
  readonly [member: string]: unknown
}

export interface Log {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly blockHash: Hex
  readonly transactionHash: Hex
  readonly [member: string]: unknown
}

/** The first topic of all logs. */
export const storedTopic: Hex = hex(keccak(new TextEncoder().encode('Stored(uint256)')))

const zeros = (length: number): Hex => `0x${'00'.repeat(length)}`
const emptyList: Hex = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'
const emptyTrieRoot: Hex = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
/** SHA-256 of nothing. */
const noRequests: Hex = '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const miner: Hex = `0x${'a1'.repeat(20)}`
const gasLimit = 30_000_000

/** The parts of a block that its transactions decide alone. */
interface Contents {
  readonly transactionsRoot: Hex
  readonly receiptsRoot: Hex
  readonly logsBloom: Hex
  readonly gasUsed: number
  /** The length of all transactions in a block, in bytes. */
  readonly encodedLength: number
  readonly receipts: readonly Draft[]
}

type Draft = Readonly<Record<string, unknown>> & { readonly logs: readonly Readonly<Record<string, unknown>>[] }

const contentsKnown = new Map<string, Contents>()
const mostKnown = 10_000

/** The contents of a block of these transactions, reckoned once for all runs. */
function contentsOf(transactions: readonly LabTransaction[]): Contents {
  const key = transactions.map(({ id }) => id).join(' ')
  let known = contentsKnown.get(key)
  if (known === undefined) {
    if (contentsKnown.size >= mostKnown) contentsKnown.clear()
    contentsKnown.set(key, (known = reckon(transactions)))
  }
  return known
}

function reckon(transactions: readonly LabTransaction[]): Contents {
  let gasUsed = 0
  let logIndex = 0
  const receipts = transactions.map(({ hash, from, stores, emits = [], members }, i): Draft => {
    const gas = stores === undefined ? gasOf.pay : gasOf.store
    gasUsed += gas
    const place = { transactionHash: hash, transactionIndex: quantity(i) }
    const left =
      stores === undefined
        ? emits
        : [{ address: contract, topics: [storedTopic, word(stores % 7)], data: word(stores) }]
    const logs = left.map((log) => ({ ...log, ...place, logIndex: quantity(logIndex++), removed: false }))
    return {
      ...place,
      from,
      to: stores === undefined ? receiver : contract,
      contractAddress: null,
      cumulativeGasUsed: quantity(gasUsed),
      effectiveGasPrice: quantity(price),
      gasUsed: quantity(gas),
      logs,
      logsBloom: logsBloom(logs as never),
      status: '0x1',
      type: members['type'],
    }
  })
  return {
    transactionsRoot: transactionsRoot(transactions.map(({ members }) => members as never)),
    receiptsRoot: receiptsRoot(receipts as never),
    logsBloom: logsBloom(receipts.flatMap(({ logs }) => logs) as never),
    gasUsed,
    encodedLength: transactions.reduce(
      (sum, { raw, members }) => sum + lengthInBlock(raw, members['type'] === '0x0'),
      0,
    ),
    receipts,
  }
}

/** Typed transactions are strings there, others lists. */
function lengthInBlock(raw: Hex, isLegacy: boolean): number {
  return isLegacy ? bytes(raw).length : rlp(bytes(raw)).length
}

/** The length of a list in RLP, from that of its items. */
function listLength(length: number): number {
  return length + (length < 56 ? 1 : 1 + minimal(length).length)
}

export interface Making {
  readonly chain: Block['chain']
  readonly timestamp: number
  /** A text that tells the block from others of the same contents. */
  readonly extra: string
  /** Default: the height above the parent. */
  readonly number?: number
}

/** Makes the block after `parent`, with true roots and a true hash. */
export function makeBlock(
  parent: Block | { readonly number: -1; readonly state: State },
  transactions: readonly LabTransaction[],
  { chain, timestamp, extra, number = parent.number + 1 }: Making,
): Block {
  const contents = contentsOf(transactions)
  const state = stateAfter(parent.state, transactions)
  const extraData = hex(new TextEncoder().encode(extra))
  const parentHash = 'hash' in parent ? parent.hash : zeros(32)
  const encoded = rlp([
    bytes(parentHash),
    bytes(emptyList),
    bytes(miner),
    bytes(state.root),
    bytes(contents.transactionsRoot),
    bytes(contents.receiptsRoot),
    bytes(contents.logsBloom),
    minimal(0),
    minimal(number),
    minimal(gasLimit),
    minimal(contents.gasUsed),
    minimal(timestamp),
    bytes(extraData),
    bytes(zeros(32)),
    bytes(zeros(8)),
    minimal(baseFee),
    bytes(emptyTrieRoot),
    minimal(0),
    minimal(0),
    bytes(zeros(32)),
    bytes(noRequests),
  ])
  const hash = hex(keccak(encoded))
  const header = {
    number: quantity(number),
    hash,
    parentHash,
    sha3Uncles: emptyList,
    miner,
    stateRoot: state.root,
    transactionsRoot: contents.transactionsRoot,
    receiptsRoot: contents.receiptsRoot,
    logsBloom: contents.logsBloom,
    difficulty: '0x0',
    gasLimit: quantity(gasLimit),
    gasUsed: quantity(contents.gasUsed),
    timestamp: quantity(timestamp),
    extraData,
    mixHash: zeros(32),
    nonce: zeros(8),
    baseFeePerGas: quantity(baseFee),
    withdrawalsRoot: emptyTrieRoot,
    blobGasUsed: '0x0',
    excessBlobGas: '0x0',
    parentBeaconBlockRoot: zeros(32),
    requestsHash: noRequests,
  }
  const place = { blockHash: hash, blockNumber: header.number }
  const stamp = { blockTimestamp: header.timestamp }
  let receipts: readonly Receipt[] | undefined
  return {
    number,
    hash,
    parent: 'hash' in parent ? parent : undefined,
    transactions,
    state,
    timestamp,
    chain,
    // Uncles and withdrawals are empty lists.
    size: listLength(encoded.length + listLength(contents.encodedLength) + 2),
    header,
    get receipts() {
      return (receipts ??= contents.receipts.map(
        (draft) =>
          ({
            ...draft,
            ...place,
            logs: draft.logs.map((log) => ({ ...log, ...place, ...stamp })),
          }) as unknown as Receipt,
      ))
    },
  }
}

/** The transaction at an index of a block, as nodes print it. */
export function placed(block: Block, index: number): Readonly<Record<string, unknown>> {
  return {
    ...block.transactions[index]!.members,
    blockHash: block.hash,
    blockNumber: quantity(block.number),
    blockTimestamp: quantity(block.timestamp),
    transactionIndex: quantity(index),
  }
}

/** A block as nodes print it, with its transactions in full or as hashes. */
export function printBlock(block: Block, isFull: boolean): Readonly<Record<string, unknown>> {
  return {
    ...block.header,
    size: quantity(block.size),
    transactions: block.transactions.map(({ hash }, i) => (isFull ? placed(block, i) : hash)),
    uncles: [],
    withdrawals: [],
  }
}

/** Finds the block of a number among a block and those below it. */
export function ancestorAt(block: Block, number: number): Block | undefined {
  if (number > block.number) return undefined
  let at: Block | undefined = block
  while (at !== undefined && at.number > number) at = at.parent
  return at
}

/** The last block that both have below them. */
export function commonAncestor(one: Block, other: Block): Block | undefined {
  let a: Block | undefined = ancestorAt(one, Math.min(one.number, other.number))
  let b: Block | undefined = ancestorAt(other, Math.min(one.number, other.number))
  while (a !== b) {
    a = a?.parent
    b = b?.parent
  }
  return a
}
