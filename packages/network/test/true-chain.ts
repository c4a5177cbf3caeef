import type { Hash, Header, Hex, Log, Receipt, Transaction } from '@wayleave/evm-types'
import { headerHash, logsBloom, receiptsRoot, transactionsRoot } from '@wayleave/evm-verify'
import type { TestBlock, TestChain } from './chain-node.ts'

const hex = (number: number): Hex => `0x${number.toString(16)}`
const word = (number: number): Hash => `0x${number.toString(16).padStart(64, '0')}`
const zeros = word(0)

/** The signed transaction of EIP-155's example, which is in every block. */
const transaction = {
  type: '0x0',
  chainId: '0x1',
  nonce: '0x9',
  gasPrice: '0x4a817c800',
  gas: '0x5208',
  to: '0x3535353535353535353535353535353535353535',
  value: '0xde0b6b3a7640000',
  input: '0x',
  v: '0x25',
  r: '0x28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276',
  s: '0x67cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83',
  hash: '0x33469b22e9f636356c4160a87eb19df52b7412e8eac32a4a55ffe88ea8350788',
  from: '0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f',
} as const
const emitter: Hex = `0x${'ab'.repeat(20)}`

/** A block with all that hashes to its header. */
export interface TrueBlock extends TestBlock {
  readonly header: Header
  readonly transactions: readonly Hash[]
  readonly full: readonly Transaction[]
  readonly receipts: readonly Receipt[]
  readonly logs: readonly Log[]
}

/** A chain whose blocks can be proven: each has a transaction with two logs. */
export interface TrueChain extends TestChain {
  block(number: number): TrueBlock
  /** Finds a block that was made. */
  byHash(hash: unknown): TrueBlock | undefined
}

export function trueChain(height: number): TrueChain {
  const blocks: TrueBlock[] = []
  const byHash = new Map<unknown, TrueBlock>()
  return {
    id: 1,
    height,
    replaced: [],
    block(number) {
      while (blocks.length <= number) {
        const block = blockOf(blocks.length, (blocks.at(-1)?.header.hash as Hash | undefined) ?? zeros)
        blocks.push(block)
        byHash.set(block.hash, block)
      }
      return blocks[number]!
    },
    next() {
      return this.height + 1
    },
    byHash: (hash) => byHash.get(hash),
    reorganize() {
      throw new Error('expected no reorganisation of a chain that can be proven')
    },
  }
}

function blockOf(number: number, parentHash: Hash): TrueBlock {
  const { receipts: unplaced, logs } = contentsOf(number, zeros)
  const members = {
    parentHash,
    sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
    miner: `0x${'0'.repeat(40)}`,
    stateRoot: zeros,
    transactionsRoot: transactionsRoot([transaction as unknown as Transaction]),
    receiptsRoot: receiptsRoot(unplaced),
    logsBloom: logsBloom(logs),
    difficulty: '0x0',
    number: hex(number),
    gasLimit: '0x1c9c380',
    gasUsed: transaction.gas,
    timestamp: hex(1_700_000_000 + number),
    extraData: '0x',
    mixHash: zeros,
    nonce: '0x0000000000000000',
    baseFeePerGas: '0x7',
  } as const
  const hash = headerHash(members as unknown as Header)
  const header = { ...members, hash } as unknown as Header
  const place = { blockHash: hash, blockNumber: hex(number), transactionIndex: '0x0' } as const
  return {
    ...header,
    ...contentsOf(number, hash),
    uncles: [],
    transactions: [transaction.hash],
    full: [{ ...transaction, ...place } as unknown as Transaction],
    header,
  } as unknown as TrueBlock
}

function contentsOf(number: number, blockHash: Hash): Pick<TrueBlock, 'receipts' | 'logs'> {
  const place = {
    blockHash,
    blockNumber: hex(number),
    transactionHash: transaction.hash,
    transactionIndex: '0x0',
  } as const
  const logs = [0, 1].map((i): Log => ({
    ...place,
    address: emitter,
    topics: [word(i + 1), word(number)],
    data: word(number * 2 + i),
    logIndex: hex(i),
    removed: false,
  }))
  const receipt = {
    ...place,
    type: '0x0',
    status: '0x1',
    cumulativeGasUsed: transaction.gas,
    gasUsed: transaction.gas,
    effectiveGasPrice: transaction.gasPrice,
    from: transaction.from,
    to: transaction.to,
    contractAddress: null,
    logs,
    logsBloom: logsBloom(logs),
  } as const
  return { receipts: [receipt as unknown as Receipt], logs }
}

/** The answer of a node that has a chain to a call about the contents of its blocks; undefined: it is about something else. */
export function trueAnswer(
  chain: TrueChain,
  method: string,
  params: readonly unknown[],
): { result: unknown } | undefined {
  const [first, isFull] = params
  const heightOf = (tag: unknown): number =>
    typeof tag === 'string' && tag.startsWith('0x') ? Number(tag) : chain.height
  const reported = ({ full, receipts: _r, logs: _l, header: _h, ...block }: TrueBlock): object =>
    isFull === true ? { ...block, transactions: full } : block
  switch (method) {
    case 'eth_getBlockByHash':
    case 'eth_getBlockByNumber': {
      const block =
        method === 'eth_getBlockByHash'
          ? chain.byHash(first)
          : heightOf(first) > chain.height
            ? undefined
            : chain.block(heightOf(first))
      return { result: block === undefined ? null : reported(block) }
    }
    case 'eth_getBlockReceipts': {
      const block = String(first).length > 60 ? chain.byHash(first) : chain.block(heightOf(first))
      return { result: block?.receipts ?? null }
    }
    case 'eth_getLogs': {
      const { blockHash, fromBlock, toBlock } = first as Readonly<Record<string, string>>
      if (blockHash !== undefined) return { result: chain.byHash(blockHash)?.logs ?? [] }
      const [from, to] = [heightOf(fromBlock), Math.min(heightOf(toBlock), chain.height)]
      const numbers = Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i)
      return { result: numbers.flatMap((number) => chain.block(number).logs) }
    }
    default:
      return undefined
  }
}
