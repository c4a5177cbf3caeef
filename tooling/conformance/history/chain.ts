import { createHash } from 'node:crypto'

/** A chain of made-up blocks, each with one transaction or two, and a pool of transactions that wait. */
export interface HistoryChain {
  readonly height: number
  /** The time at which its head was made, in ms since the epoch. */
  readonly movedAt: number
  block(number: number, height?: number): unknown
  receipts(number: number): readonly { readonly transactionHash: string }[]
  numberOf(blockHash: string): number | undefined
  /** The block of a transaction, 0 where it waits; undefined: there is no such transaction. */
  blockOf(transactionHash: string): number | undefined
  /** Puts a transaction into the pool, to be mined in so many blocks. */
  submit(hash: string, inBlocks: number): void
  /** Makes the next block. */
  mine(): void
}

const hex = (number: number): string => `0x${number.toString(16)}`
const digest = (text: string): string => `0x${createHash('sha256').update(text).digest('hex')}`
const address = `0x${'a1'.repeat(20)}`
const zeros = (bytes: number): string => `0x${'00'.repeat(bytes)}`

export const blockHash = (number: number): string => digest(`block ${number}`)
export const transactionHash = (number: number, index: number): string => digest(`transaction ${number} ${index}`)

export function createHistoryChain(start: number): HistoryChain {
  const numbers = new Map<string, number>()
  const transactions = new Map<string, number>()
  const contents: string[][] = []
  const waiting = new Map<string, number>()
  let movedAt = Date.now()

  function add(): void {
    const number = contents.length
    const own = Array.from({ length: 1 + (number % 2) }, (_, i) => transactionHash(number, i))
    const due = [...waiting].filter(([, at]) => at <= number).map(([hash]) => hash)
    for (const hash of due) waiting.delete(hash)
    contents.push([...own, ...due])
    for (const hash of contents.at(-1)!) transactions.set(hash, number)
    numbers.set(blockHash(number), number)
    movedAt = Date.now()
  }
  for (let i = 0; i <= start; i++) add()

  return {
    get height() {
      return contents.length - 1
    },
    get movedAt() {
      return movedAt
    },
    block: (number) => ({
      number: hex(number),
      hash: blockHash(number),
      parentHash: number === 0 ? zeros(32) : blockHash(number - 1),
      timestamp: hex(1_700_000_000 + number),
      gasLimit: '0x1c9c380',
      gasUsed: '0x5208',
      baseFeePerGas: '0x7',
      miner: address,
      difficulty: '0x0',
      extraData: '0x',
      logsBloom: zeros(256),
      mixHash: zeros(32),
      nonce: zeros(8),
      receiptsRoot: zeros(32),
      sha3Uncles: zeros(32),
      size: '0x220',
      stateRoot: zeros(32),
      transactionsRoot: zeros(32),
      transactions: contents[number]!,
      uncles: [],
    }),
    receipts: (number) =>
      contents[number]!.map((hash, i) => ({
        transactionHash: hash,
        transactionIndex: hex(i),
        blockHash: blockHash(number),
        blockNumber: hex(number),
        from: address,
        to: address,
        status: '0x1',
        type: '0x2',
        gasUsed: '0x5208',
        cumulativeGasUsed: hex(21_000 * (i + 1)),
        effectiveGasPrice: '0x7',
        contractAddress: null,
        logsBloom: zeros(256),
        logs: [
          {
            address,
            topics: [],
            data: '0x',
            blockHash: blockHash(number),
            blockNumber: hex(number),
            transactionHash: hash,
            transactionIndex: hex(i),
            logIndex: hex(i),
            removed: false,
          },
        ],
      })),
    numberOf: (hash) => numbers.get(hash),
    blockOf: (hash) => transactions.get(hash) ?? (waiting.has(hash) ? 0 : undefined),
    submit: (hash, inBlocks) => void waiting.set(hash, contents.length - 1 + inBlocks),
    mine: add,
  }
}
