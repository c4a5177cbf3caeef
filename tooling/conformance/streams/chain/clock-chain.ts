import { createHash } from 'node:crypto'
import { type EncodableReceipt, headerHash, logsBloom, receiptsRoot } from '@wayleave/evm-verify'

type Hex = `0x${string}`
export type Log = EncodableReceipt['logs'][number]

/** The shape of a {@link ClockChain}: whoever has it has the chain, in any process and at any time. */
export interface ClockChainOptions {
  /** The time of block 0, in ms since the epoch. */
  readonly startedAt: number
  readonly blockMs: number
  readonly logsPerBlock: number
  /** Blocks that are made all at once; none by default. */
  readonly burst?: Burst
}

export interface Burst {
  /** In ms since the epoch. */
  readonly at: number
  readonly blocks: number
}

type ChainReceipt = ReturnType<typeof bareReceipts>[number]

interface ClockBlock {
  readonly header: Readonly<Record<string, unknown>> & { readonly hash: Hex; readonly number: Hex }
  readonly receipts: readonly ChainReceipt[]
  readonly logs: readonly Log[]
}

/** A chain that grows by the clock alone, so that nodes in different processes agree without a word. It has no forks. */
export interface ClockChain {
  /** The height at a time, in ms since the epoch. */
  heightAt(now: number): number
  /** The time at which a block is made, in ms since the epoch. */
  madeAt(number: number): number
  block(number: number): ClockBlock
  /** The number of a block that was made or read before, by its hash. */
  numberOf(hash: string): number | undefined
}

/** Contracts, and first topics, that share the logs of each block evenly. */
export const contractCount = 50
export const topicCount = 4
export const chainId = 1338
/** The first topic of `event Ticked()`. */
export const tickedTopic = '0x5155706e1618c954fd384c3cbee078ba87ed30a5043ed328b891cd224923b6d3'

export const contractAt = (index: number): Hex => `0x${(0xc0ffee + index).toString(16).padStart(40, '0')}`
export const topicAt = (index: number): Hex => (index === 0 ? tickedTopic : digest(`topic ${index}`))

const logsPerTransaction = 10
const zeros = (bytes: number): Hex => `0x${'00'.repeat(bytes)}`
const hex = (number: number): Hex => `0x${number.toString(16)}`

function digest(text: string): Hex {
  return `0x${createHash('sha256').update(text).digest('hex')}`
}

/** The hash of the transaction at a place of a block. */
const transactionHashAt = (number: number, index: number): Hex => digest(`transaction ${number} ${index}`)

/** Makes the chain; hashes, blooms and roots are true. Keeps all blocks that were asked for, and those before them. */
export function createClockChain(options: ClockChainOptions): ClockChain {
  const { startedAt, blockMs, logsPerBlock, burst = { at: Number.POSITIVE_INFINITY, blocks: 0 } } = options
  const beforeBurst = Math.floor((burst.at - startedAt) / blockMs)
  const blocks: ClockBlock[] = []
  const numbers = new Map<string, number>()

  function madeAt(number: number): number {
    if (number <= beforeBurst) return startedAt + number * blockMs
    return Math.max(burst.at, startedAt + (number - burst.blocks) * blockMs)
  }

  function add(): void {
    const number = blocks.length
    const bare = bareReceipts(number, logsPerBlock)
    const members = {
      number: hex(number),
      parentHash: number === 0 ? zeros(32) : blocks[number - 1]!.header.hash,
      timestamp: hex(Math.floor(madeAt(number) / 1_000)),
      logsBloom: logsBloom(bare.flatMap(({ logs }) => logs)),
      receiptsRoot: receiptsRoot(bare),
      transactionsRoot: digest(`transactions ${number}`),
      stateRoot: digest(`state ${number}`),
      sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
      miner: contractAt(0),
      difficulty: '0x0',
      gasLimit: '0x1c9c380',
      gasUsed: hex(21_000 * bare.length),
      extraData: '0x',
      mixHash: zeros(32),
      nonce: zeros(8),
      baseFeePerGas: '0x7',
    } as const
    const hash = headerHash(members)
    const placed = { blockHash: hash, blockNumber: hex(number) }
    const receipts = bare.map((receipt) => ({
      ...receipt,
      ...placed,
      logs: receipt.logs.map((log) => ({ ...log, ...placed })),
    }))
    const logs = receipts.flatMap((receipt) => receipt.logs)
    blocks.push({ header: { ...members, hash }, receipts, logs })
    numbers.set(hash, number)
  }

  return {
    heightAt: (now) => Math.floor((now - startedAt) / blockMs) + (now >= burst.at ? burst.blocks : 0),
    madeAt,
    block(number) {
      while (blocks.length <= number) add()
      return blocks[number]!
    },
    numberOf: (hash) => numbers.get(hash),
  }
}

function bareReceipts(number: number, logCount: number) {
  const count = Math.max(1, Math.ceil(logCount / logsPerTransaction))
  return Array.from({ length: count }, (_transaction, index) => {
    const from = index * logsPerTransaction
    const logs = Array.from({ length: Math.min(logsPerTransaction, logCount - from) }, (_log, i) =>
      bareLog(number, index, from + i),
    )
    return {
      transactionHash: transactionHashAt(number, index),
      transactionIndex: hex(index),
      blockHash: zeros(32),
      blockNumber: hex(number),
      from: contractAt(0),
      to: contractAt(1),
      contractAddress: null,
      status: '0x1' as const,
      type: '0x2' as const,
      gasUsed: '0x5208' as const,
      cumulativeGasUsed: hex(21_000 * (index + 1)),
      effectiveGasPrice: '0x7' as const,
      logsBloom: logsBloom(logs),
      logs,
    }
  })
}

/** Walks through contracts and topics, so that each pair of them comes up equally often. */
function bareLog(number: number, transaction: number, index: number): Log {
  const place = number + index
  return {
    address: contractAt(place % contractCount),
    topics: [topicAt(Math.floor(place / contractCount + index) % topicCount)],
    data: digest(`data ${number} ${index}`),
    blockHash: zeros(32),
    blockNumber: hex(number),
    transactionHash: transactionHashAt(number, transaction),
    transactionIndex: hex(transaction),
    logIndex: hex(index),
    removed: false,
  }
}
