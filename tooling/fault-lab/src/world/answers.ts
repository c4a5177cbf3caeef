import type { NodeClient } from '../plan.ts'
import { ancestorAt, type Block, type Log, placed, printBlock } from './evm/block.ts'
import { hex, quantity, word } from './evm/bytes.ts'
import { balanceOf, code, nonceOf, proofOf, storageAt } from './evm/state.ts'
import { baseFee, contract, type LabTransaction, price, witness } from './evm/transactions.ts'
import type { Place } from './chain.ts'
import { type NodeError, wordsOf } from './words.ts'

/** All that an honest node's answers depend on. */
export interface View {
  /** The node's name, which `eth_call` of `witness` answers. */
  readonly name: string
  readonly client: NodeClient
  readonly chainId: number
  readonly head: Block
  /** The oldest block whose state it has, and the oldest that it has at all. */
  readonly oldestState: number
  readonly oldestBlock: number
  /** Longest range of `eth_getLogs`, in blocks. */
  readonly maxRange: number
  /** Whether its answer about the logs of an unknown block is empty. */
  readonly emptyForUnknown?: boolean
  /** Finds a block that it has seen. */
  byHash(hash: string): Block | undefined
  find(hash: string): Place | undefined
  /** Transactions that it knows to be waiting. */
  readonly pool: ReadonlyMap<string, LabTransaction>
}

export type NodeAnswer = { readonly result: unknown } | { readonly error: NodeError }

/** Blocks below the head at which the chain counts as safe and as final: below every reorganisation. */
const safeDepth = 72
const finalDepth = 96
/** Blocks whose logs every node keeps: none prunes so near its head, as it may have to go back. */
const leastKept = 64

/** Ends an answer with a node's error. */
class Refused extends Error {
  readonly error: NodeError
  constructor(error: NodeError) {
    super(error.message)
    this.error = error
  }
}

type Params = readonly unknown[]
type Answer = (view: View, params: Params) => unknown

/** Answers a call as an honest node of this view would, `eth_sendRawTransaction` and subscriptions aside. */
export function answerOf(view: View, method: string, params: Params): NodeAnswer {
  const answer = Object.hasOwn(answers, method) ? answers[method] : undefined
  if (answer === undefined) return { error: wordsOf(view.client).missingMethod(method) }
  try {
    return { result: answer(view, params) }
  } catch (thrown) {
    if (thrown instanceof Refused) return { error: thrown.error }
    throw thrown
  }
}

const answers: Readonly<Record<string, Answer>> = {
  eth_chainId: ({ chainId }) => quantity(chainId),
  net_version: ({ chainId }) => String(chainId),
  web3_clientVersion: ({ client }) => `${client}/v1.0.0/fault-lab`,
  eth_syncing: () => false,
  eth_gasPrice: () => quantity(price),
  eth_maxPriorityFeePerGas: () => quantity(price - baseFee),
  eth_blockNumber: ({ head }) => quantity(head.number),
  eth_getBlockByNumber: (view, [tag, isFull]) => {
    const block = blockAt(view, tag)
    return block === undefined ? null : printBlock(block, isFull === true)
  },
  eth_getBlockByHash: (view, [hash, isFull]) => {
    const block = kept(view, view.byHash(textOf(view, hash)))
    return block === undefined ? null : printBlock(block, isFull === true)
  },
  eth_getBlockTransactionCountByNumber: (view, [tag]) => countOf(blockAt(view, tag)),
  eth_getBlockTransactionCountByHash: (view, [hash]) => countOf(kept(view, view.byHash(textOf(view, hash)))),
  eth_getUncleCountByBlockNumber: (view, [tag]) => (blockAt(view, tag) === undefined ? null : '0x0'),
  eth_getTransactionByBlockNumberAndIndex: (view, [tag, index]) => transactionAt(blockAt(view, tag), index),
  eth_getTransactionByBlockHashAndIndex: (view, [hash, index]) =>
    transactionAt(kept(view, view.byHash(textOf(view, hash))), index),
  eth_getBlockReceipts: (view, [at]) => blockOf(view, at)?.receipts ?? null,
  eth_getTransactionByHash: (view, [hash]) => {
    const place = placeOf(view, hash)
    if (place !== undefined) return placed(place.block, place.index)
    const waiting = view.pool.get(textOf(view, hash))
    if (waiting === undefined) return null
    return { ...waiting.members, blockHash: null, blockNumber: null, transactionIndex: null }
  },
  eth_getTransactionReceipt: (view, [hash]) => {
    const place = placeOf(view, hash)
    return place === undefined ? null : place.block.receipts[place.index]
  },
  eth_getLogs: (view, [filter]) => logsOf(view, Object(filter) as Record<string, unknown>),
  eth_getBalance: (view, [address, at]) => quantity(balanceOf(stateAt(view, at).state, textOf(view, address))),
  eth_getTransactionCount: (view, [address, at]) => {
    const of = textOf(view, address)
    const waiting = at === 'pending' ? [...view.pool.values()].filter(({ from }) => from === of).length : 0
    return quantity(nonceOf(stateAt(view, at).state, of) + waiting)
  },
  eth_getCode: (view, [address, at]) => {
    stateAt(view, at)
    return textOf(view, address) === contract ? code : '0x'
  },
  eth_getStorageAt: (view, [address, position, at]) =>
    word(storageAt(stateAt(view, at).state, textOf(view, address), BigInt(textOf(view, position)))),
  eth_getProof: (view, [address, positions, at]) =>
    proofOf(stateAt(view, at).state, textOf(view, address), positions as readonly string[]),
  eth_call: (view, [call, at]) => {
    const { state } = stateAt(view, at)
    if (Object(call).to === witness) return hex(new TextEncoder().encode(view.name))
    return Object(call).to === contract ? word(state.stored) : '0x'
  },
  eth_estimateGas: (view, [, at]) => {
    stateAt(view, at ?? 'latest')
    return quantity(42_000)
  },
  eth_feeHistory: (view, [count, newest]) => {
    const last = blockAt(view, newest)
    if (last === undefined) throw refused(view, 'unknownBlock', String(newest))
    const blocks = Math.min(Number(count), last.number + 1, 1_024)
    return {
      oldestBlock: quantity(last.number - blocks + 1),
      baseFeePerGas: Array.from({ length: blocks + 1 }, () => quantity(baseFee)),
      gasUsedRatio: Array.from({ length: blocks }, (_, i) => {
        const block = ancestorAt(last, last.number - blocks + 1 + i)!
        return Number(block.header['gasUsed']) / Number(block.header['gasLimit'])
      }),
    }
  },
}

function refused(view: View, kind: 'unknownBlock' | 'prunedState' | 'invalidParams', about: string): Refused {
  return new Refused(wordsOf(view.client)[kind](about))
}

/** Texts of hashes and addresses are compared in lower case. */
function textOf(view: View, value: unknown): `0x${string}` {
  if (typeof value !== 'string' || !/^0x[\da-f]*$/i.test(value))
    throw refused(view, 'invalidParams', 'hex string without 0x prefix')
  return value.toLowerCase() as `0x${string}`
}

/** The number that a tag or a quantity names; undefined: above the head. */
function numberOf(view: View, tag: unknown): number | undefined {
  const { number } = view.head
  switch (tag) {
    case undefined:
    case null:
    case 'latest':
    case 'pending':
      return number
    case 'safe':
      return number - safeDepth
    case 'finalized':
      return number - finalDepth
    case 'earliest':
      return 0
    default: {
      const asked = Number(textOf(view, tag))
      return asked > number ? undefined : asked
    }
  }
}

/** The block below the head that is named; undefined: none. */
function blockAt(view: View, tag: unknown): Block | undefined {
  const number = numberOf(view, tag)
  return number === undefined ? undefined : kept(view, madeAt(view, number))
}

/** The block at a height below the head; undefined where none was made there. */
function madeAt(view: View, number: number): Block | undefined {
  const block = ancestorAt(view.head, number)
  return block?.number === number ? block : undefined
}

/** A block that it still has: for one that it has deleted, some clients answer null and others an error. */
function kept(view: View, block: Block | undefined): Block | undefined {
  if (block === undefined || block.number >= view.oldestBlock) return block
  const error = wordsOf(view.client).prunedHistory(String(block.number))
  if (error === null) return undefined
  throw new Refused(error)
}

/** The block of a tag, a number, a hash, or an object of EIP-1898. */
function blockOf(view: View, at: unknown): Block | undefined {
  if (typeof at === 'string' && at.length === 66) return kept(view, view.byHash(at.toLowerCase()))
  if (typeof at !== 'object' || at === null) return blockAt(view, at)
  const { blockHash, blockNumber } = at as Record<string, unknown>
  return blockHash === undefined ? blockAt(view, blockNumber) : kept(view, view.byHash(textOf(view, blockHash)))
}

function stateAt(view: View, at: unknown): Block {
  const block = blockOf(view, at)
  if (block === undefined) throw refused(view, 'unknownBlock', typeof at === 'string' ? at : JSON.stringify(at))
  if (block.number < view.oldestState) throw refused(view, 'prunedState', String(block.header['stateRoot']))
  return block
}

const countOf = (block: Block | undefined): string | null =>
  block === undefined ? null : quantity(block.transactions.length)

function transactionAt(block: Block | undefined, index: unknown): unknown {
  const nth = Number(index)
  return block?.transactions[nth] === undefined ? null : placed(block, nth)
}

/** Clients forget transactions together with their blocks, and say so by null. */
function placeOf(view: View, hash: unknown): Place | undefined {
  const place = view.find(textOf(view, hash))
  return place !== undefined && place.block.number >= view.oldestBlock ? place : undefined
}

function logsOf(view: View, { blockHash, fromBlock, toBlock, address, topics }: Record<string, unknown>): Log[] {
  const matches = matcher(address, topics)
  if (blockHash !== undefined) {
    const block = kept(view, view.byHash(textOf(view, blockHash)))
    if (block === undefined && view.emptyForUnknown === true) return []
    if (block === undefined) throw refused(view, 'unknownBlock', String(blockHash))
    return logsIn(block).filter(matches)
  }
  const from = numberOf(view, fromBlock)
  // Nodes leave out what lies above their head, and do not say so.
  const to = numberOf(view, toBlock) ?? view.head.number
  if (from === undefined) return []
  if (to - from + 1 > view.maxRange) throw new Refused(wordsOf(view.client).rangeTooLarge(view.maxRange))
  const found: Log[] = []
  for (let number = from; number <= to; number++) {
    const own = madeAt(view, number)
    const block = number > view.head.number - leastKept ? own : kept(view, own)
    if (block !== undefined) found.push(...logsIn(block).filter(matches))
  }
  return found
}

export function logsIn(block: Block): Log[] {
  return block.receipts.flatMap(({ logs }) => logs)
}

/** Tells whether a log passes a filter's addresses and topics. */
export function matcher(address: unknown, topics: unknown): (log: Log) => boolean {
  const addresses = listOf(address)
  const wanted = (Array.isArray(topics) ? topics : []).map(listOf)
  return (log) =>
    (addresses === undefined || addresses.includes(log.address)) &&
    wanted.every((any, i) => any === undefined || (log.topics[i] !== undefined && any.includes(log.topics[i]))) &&
    wanted.length <= log.topics.length
}

function listOf(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined
  return (Array.isArray(value) ? value : [value]).map((each) => String(each).toLowerCase())
}
