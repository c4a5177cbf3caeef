import { keccak_256 } from '@noble/hashes/sha3.js'
import { type RawJson, rawJsonFromText } from '@wayleave/jsonrpc-core'
import type { BlockPosition, HeadSource, HeadUpdate } from '@wayleave/evm-events'

export interface SimLog {
  readonly address: string
  readonly topics: readonly string[]
}

export interface SimBlock extends BlockPosition {
  readonly parentHash: string
  readonly logs: readonly SimLog[]
  readonly bloom: string
}

/** A chain with forks, and the heads of it that a source tells. */
export interface SimChain extends HeadSource {
  readonly head: SimBlock
  /** The canonical blocks from genesis to the head. */
  canonical(): SimBlock[]
  at(hash: string): SimBlock | undefined
  /** Adds a block on top of the head, and tells it unless it is `silent`. */
  grow(logs?: readonly SimLog[], reported?: 'bare' | 'block' | 'silent'): SimBlock
  /** Takes `depth` blocks away and puts `depth + longer` others in their place; only the last is told. */
  reorg(depth: number, longer?: number, logsOf?: (i: number) => readonly SimLog[]): void
  /** Tells a block as the head, whatever it is. */
  report(block: SimBlock, reported?: 'bare' | 'block'): void
  readonly watchers: number
}

export const hex = (value: number, digits = 0): string => `0x${value.toString(16).padStart(digits, '0')}`
export const word = (value: number): string => hex(value, 64)
export const address = (value: number): string => hex(value, 40)

/** Two topics: its kind, and a subject. */
export function log(contract: number, kind: number, subject?: number): SimLog {
  return { address: address(contract), topics: [kind, ...(subject === undefined ? [] : [subject])].map(word) }
}

/** `isEmpty`: the heights at which no block is made. */
export function createSimChain(height = 0, isEmpty: (number: number) => boolean = () => false): SimChain {
  const blocks = new Map<string, SimBlock>()
  const listeners = new Set<(update: HeadUpdate) => void>()
  let salt = 0
  let head = block(height, word(0xff), [])

  function block(number: number, parentHash: string, logs: readonly SimLog[]): SimBlock {
    const made = { number, hash: word(0x1000_0000 + ++salt), parentHash, logs, bloom: bloomOf(logs) }
    blocks.set(made.hash, made)
    return made
  }

  function child(logs: readonly SimLog[]): SimBlock {
    let number = head.number + 1
    while (isEmpty(number)) number++
    return block(number, head.hash, logs)
  }

  function report(at: SimBlock, reported: 'bare' | 'block' = 'bare'): void {
    const header = reported === 'block' ? blockJson(at) : undefined
    for (const listener of listeners) listener({ kind: 'new', at: { number: at.number, hash: at.hash }, header })
  }

  return {
    get head() {
      return head
    },
    canonical() {
      const chain: SimBlock[] = []
      for (let at: SimBlock | undefined = head; at !== undefined; at = blocks.get(at.parentHash)) chain.unshift(at)
      return chain
    },
    at: (hash) => blocks.get(hash),
    grow(logs = [], reported = 'block') {
      head = child(logs)
      if (reported !== 'silent') report(head, reported)
      return head
    },
    reorg(depth, longer = 1, logsOf = () => []) {
      const old = head
      for (let i = 0; i < depth; i++) head = blocks.get(head.parentHash)!
      for (const listener of listeners) listener({ kind: 'dropped', at: { number: old.number, hash: old.hash } })
      for (let i = 0; i < depth + longer; i++) head = child(logsOf(i))
      report(head)
    },
    report,
    watch(listener) {
      const own = (update: HeadUpdate): void => listener(update)
      listeners.add(own)
      return () => listeners.delete(own)
    },
    get watchers() {
      return listeners.size
    },
  }
}

/** A block as geth answers it, hashes of transactions only. */
export function blockJson({ number, hash, parentHash, bloom, logs }: SimBlock): RawJson {
  return rawJsonFromText(
    JSON.stringify({
      number: hex(number),
      hash,
      parentHash,
      logsBloom: bloom,
      receiptsRoot: word(logs.length),
      transactionsRoot: logs.length === 0 ? emptyRoot : word(hashesOf(hash, logs).length),
      size: '0x220',
      transactions: hashesOf(hash, logs),
      uncles: [],
    }),
  )
}

/** The root of no transactions. Source: keccak256(rlp('')). */
const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

/** The logs of a block as geth answers them; two to a transaction. */
export function logObjects({ number, hash, logs }: SimBlock): object[] {
  const hashes = hashesOf(hash, logs)
  return logs.map(({ address: contract, topics }, i) => ({
    address: contract,
    topics,
    data: '0x',
    blockNumber: hex(number),
    transactionHash: hashes[i >> 1],
    transactionIndex: hex(i >> 1),
    blockHash: hash,
    logIndex: hex(i),
    removed: false,
  }))
}

/** The receipts of a block, with its logs. */
export function receiptObjects(block: SimBlock): object[] {
  const logs = logObjects(block)
  return hashesOf(block.hash, block.logs).map((transactionHash, i) => ({
    transactionHash,
    blockHash: block.hash,
    logs: logs.slice(2 * i, 2 * i + 2),
    status: '0x1',
  }))
}

function hashesOf(hash: string, logs: readonly SimLog[]): string[] {
  return Array.from(
    { length: Math.ceil(logs.length / 2) },
    (_, i) => `0x${(i + 1).toString(16).padStart(8, '0')}${hash.slice(10)}`,
  )
}

/** The bloom filter by the Yellow Paper's words: three bits, each the low 11 bits of a pair of bytes. */
function bloomOf(logs: readonly SimLog[]): string {
  let bits = 0n
  for (const value of logs.flatMap(({ address: contract, topics }) => [contract, ...topics])) {
    const hash = keccak_256(Buffer.from(value.slice(2), 'hex'))
    for (const i of [0, 2, 4]) bits |= 1n << BigInt((hash[i]! * 256 + hash[i + 1]!) & 2047)
  }
  return `0x${bits.toString(16).padStart(512, '0')}`
}
