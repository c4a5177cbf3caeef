import type { Block, Hash, Hex, Log, LogFilter, Quantity, Receipt, Transaction, Uncle } from '@wayleave/evm-types'
import { type RawJson, rawJsonFromValue, type RpcHandler } from '@wayleave/jsonrpc-core'
import { headerHash, logsBloom, matchesFilter, receiptsRoot, transactionsRoot } from '../../src/index.ts'
import { chainBlocks } from '../chain.ts'
import { address, code, madeState } from '../made-state.ts'

/** One call that came to the node. */
interface MadeCall {
  readonly method: string
  readonly params: readonly unknown[]
}

/** Turns what is true into what the node says. */
export type Tamper = (result: unknown, call: MadeCall) => unknown

/** A node of a chain with every type of transaction, uncles, logs and a state that can be proven. */
export interface MadeNode {
  readonly handler: RpcHandler
  readonly blocks: readonly Block[]
  readonly calls: MadeCall[]
  tamper: Tamper | undefined
  /** How many of its blocks it has. */
  height: number
}

const topic = (n: number): Hash => `0x${n.toString(16).padStart(64, '0')}`
const quantity = (n: number): Quantity => `0x${n.toString(16)}`

const state = await madeState()
const chain = makeBlocks()

/** A node of the same chain each time; the chain begins with block 1, whose parent nobody has. */
export function madeNode(): MadeNode {
  const node: MadeNode = {
    handler,
    blocks: chain.map(({ block }) => block),
    calls: [],
    tamper: undefined,
    height: chain.length,
  }

  async function handler({ method, params }: { method: string; params: RawJson | undefined }): ReturnType<RpcHandler> {
    const call = { method, params: (params?.parse() ?? []) as unknown[] }
    node.calls.push(call)
    const answer = methods[method]
    if (answer === undefined) return { error: { code: -32601, message: `no method ${method}` } }
    const result = await answer(chain.slice(0, node.height), call.params)
    return { result: rawJsonFromValue(node.tamper === undefined ? result : node.tamper(result, call)) }
  }
  return node
}

interface MadeBlock {
  readonly block: Block
  readonly receipts: readonly Receipt[]
  readonly uncles: readonly Uncle[]
}

type Answer = (blocks: readonly MadeBlock[], params: readonly unknown[]) => unknown

function find(blocks: readonly MadeBlock[], parameter: unknown): MadeBlock | undefined {
  const name = (parameter ?? 'latest') as string | { blockHash?: Hash; blockNumber?: Quantity }
  if (typeof name !== 'string') return find(blocks, name.blockHash ?? name.blockNumber)
  if (name === 'finalized') return blocks.at(-4)
  if (!name.startsWith('0x')) return blocks.at(-1)
  return blocks.find(({ block }) => block.hash === name || block.number === name)
}

function brief(block: Block, isFull: unknown): Block {
  return isFull === true ? block : { ...block, transactions: block.transactions.map((tx) => (tx as Transaction).hash) }
}

const byBlock: Answer = (blocks, [name, isFull]) => {
  const found = find(blocks, name)
  return found === undefined ? null : brief(found.block, isFull)
}
const txByPlace: Answer = (blocks, [name, index]) => find(blocks, name)?.block.transactions[Number(index)] ?? null
const uncleByPlace: Answer = (blocks, [name, index]) => find(blocks, name)?.uncles[Number(index)] ?? null
const countByBlock: Answer = (blocks, [name]) => {
  const found = find(blocks, name)
  return found === undefined ? null : quantity(found.block.transactions.length)
}

const methods: Readonly<Record<string, Answer>> = {
  eth_getBlockByHash: byBlock,
  eth_getBlockByNumber: byBlock,
  eth_getTransactionByBlockHashAndIndex: txByPlace,
  eth_getTransactionByBlockNumberAndIndex: txByPlace,
  eth_getUncleByBlockHashAndIndex: uncleByPlace,
  eth_getUncleByBlockNumberAndIndex: uncleByPlace,
  eth_getBlockTransactionCountByHash: countByBlock,
  eth_getBlockTransactionCountByNumber: countByBlock,
  eth_getTransactionByHash: (blocks, [hash]) =>
    blocks.flatMap(({ block }) => block.transactions as Transaction[]).find((tx) => tx.hash === hash) ?? null,
  eth_getTransactionReceipt: (blocks, [hash]) =>
    blocks.flatMap(({ receipts }) => receipts).find((one) => one.transactionHash === hash) ?? null,
  eth_getBlockReceipts: (blocks, [name]) => find(blocks, name)?.receipts ?? null,
  eth_getLogs: (blocks, [filter]) => logsFrom(blocks, filter as LogFilter),
  eth_getProof: (_, [of, positions]) => state.prove(of as Hex, positions as Hex[]),
  eth_getBalance: async (_, [of]) => (await state.prove(of as Hex)).balance,
  eth_getTransactionCount: async (_, [of]) => (await state.prove(of as Hex)).nonce,
  eth_getCode: (_, [of]) => (of === address ? code : '0x'),
  eth_getStorageAt: async (_, [of, position]) => {
    const { value } = (await state.prove(of as Hex, [position as Hex])).storageProof[0]!
    return `0x${value.slice(2).padStart(64, '0')}`
  },
  eth_chainId: () => '0x1',
}

function logsFrom(blocks: readonly MadeBlock[], filter: LogFilter): Log[] {
  const at = (name: unknown): number => Number(find(blocks, name)?.block.number)
  const [from, to] =
    filter.blockHash === undefined
      ? [at(filter.fromBlock), at(filter.toBlock)]
      : [at(filter.blockHash), at(filter.blockHash)]
  return blocks
    .filter(({ block }) => Number(block.number) >= from && Number(block.number) <= to)
    .flatMap(({ receipts }) => receipts.flatMap(({ logs }) => logs))
    .filter((log) => matchesFilter(log, filter))
}

/** The blocks of a real chain, with receipts and a state of our own; whatever hashes to something hashes anew. */
function makeBlocks(): MadeBlock[] {
  const made: MadeBlock[] = []
  for (const { block: real, uncles } of chainBlocks().slice(0, 54)) {
    const txs = (real.transactions as readonly Transaction[]).filter(({ to }) => to !== null)
    const drafts = txs.map((tx, i) => receiptOf(tx, i, real))
    const logs = drafts.flatMap((draft) => draft.logs)
    const { hash: _, size: __, ...rest } = real
    const header = {
      ...rest,
      parentHash: made.at(-1)?.block.hash ?? real.parentHash,
      stateRoot: state.root,
      transactionsRoot: transactionsRoot(txs),
      receiptsRoot: receiptsRoot(drafts),
      logsBloom: logsBloom(logs),
    }
    const hash = headerHash(header)
    const placed = txs.map((tx, i) => ({ ...tx, blockHash: hash, transactionIndex: quantity(i) }))
    let logIndex = 0
    const receipts = drafts.map((draft) => ({
      ...draft,
      blockHash: hash,
      logs: draft.logs.map((log) => ({ ...log, blockHash: hash, logIndex: quantity(logIndex++) })),
    }))
    made.push({ block: { ...header, hash, transactions: placed }, receipts, uncles })
  }
  return made
}

function receiptOf(tx: Transaction, i: number, { number, timestamp }: Block): Receipt {
  const place = { blockNumber: number!, transactionHash: tx.hash, transactionIndex: quantity(i) }
  const logs = Array.from({ length: (Number(number) + i) % 3 }, (_, k): Log => ({
    address: k === 0 ? address : `0x${'1e'.repeat(20)}`,
    topics: [topic(1), topic(Number(number))].slice(0, (i % 2) + 1),
    data: `0x${'0a'.repeat(k + 1)}`,
    ...place,
    blockHash: null,
    blockTimestamp: timestamp,
    logIndex: null,
    removed: false,
  }))
  const blobs = tx.blobVersionedHashes?.length
  return {
    ...place,
    blockHash: `0x${'00'.repeat(32)}`,
    contractAddress: null,
    cumulativeGasUsed: quantity(21_000 * (i + 1)),
    from: tx.from,
    gasUsed: '0x5208',
    logs,
    logsBloom: logsBloom(logs),
    status: '0x1',
    to: tx.to!,
    type: tx.type ?? '0x0',
    ...(blobs === undefined ? {} : { blobGasUsed: quantity(131_072 * blobs) }),
  }
}
