import { createBlockHeader } from '@ethereumjs/block'
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { createTx, type TypedTransaction } from '@ethereumjs/tx'
import {
  bytesToHex,
  type EOACode7702AuthorizationListItem,
  hexToBytes,
  KECCAK256_RLP,
  KECCAK256_RLP_ARRAY,
  type PrefixedHexString,
} from '@ethereumjs/util'
import type { Authorization, Block, Hex, Log, Receipt, Transaction } from '@wayleave/evm-types'
import { logsBloom, receiptsRoot, transactionsRoot } from '@wayleave/evm-verify'

/** A block and its receipts as a node answers them, always the same for the same count. */
export interface FullBlock {
  readonly block: Omit<Block, 'transactions'> & { readonly transactions: readonly Transaction[] }
  readonly receipts: readonly Receipt[]
  /** How many transactions there are of each type. */
  readonly types: ReadonlyMap<string, number>
}

/** The chain rules for `@ethereumjs`. It asks for KZG for blob transactions, and does not use it for those without blobs. */
export const mainnet: Common = new Common({
  chain: Mainnet,
  hardfork: Hardfork.Prague,
  customCrypto: { kzg: {} as never },
})

const baseFeePerGas = 1_000_000_000n
const maxPriorityFeePerGas = 100_000_000n
const number = 22_600_000n
const zeros = (length: number): PrefixedHexString => `0x${'00'.repeat(length)}`

/** A block of mixed types: of 20, thirteen of type 2, four legacy, and one each of types 1, 3 and 4; all really signed. */
export function createFullBlock(count: number): FullBlock {
  const random = createRandom(300)
  const txs = Array.from({ length: count }, (_, i) => createSigned(i, random))
  const place = { blockHash: zeros(32), blockNumber: hex(number), blockTimestamp: hex(1_748_700_000) }
  let logIndex = 0
  let gas = 0n
  const receipts = txs.map((tx, i): Receipt => {
    gas += tx.gasLimit
    const at = { ...place, transactionHash: bytesToHex(tx.hash()), transactionIndex: hex(i) }
    // As on mainnet, some transfer, and most others emit a few events.
    const logs = Array.from({ length: tx.data.length === 0 ? 0 : 1 + Math.floor(random() * 5) }, (): Log => {
      return { address: bytes(random, 20), ...eventOf(random), ...at, logIndex: hex(logIndex++), removed: false }
    })
    return receiptOf(tx, at, logs, gas)
  })
  const transactions = txs.map((tx, i) => answerOf(tx, place, i))
  return sealed({ transactions, receipts, txs, gas })
}

interface Unsealed {
  readonly transactions: readonly Transaction[]
  readonly receipts: readonly Receipt[]
  readonly txs: readonly TypedTransaction[]
  readonly gas: bigint
}

/** Makes the header, and sets its hash everywhere. */
function sealed({ transactions, receipts, txs, gas }: Unsealed): FullBlock {
  const blobGasUsed = BigInt(txs.filter(({ type }) => type === 3).length * 131_072)
  const header = createBlockHeader(
    {
      number,
      timestamp: 1_748_700_000n,
      gasLimit: 36_000_000n + gas,
      gasUsed: gas,
      baseFeePerGas,
      coinbase: `0x${'95'.repeat(20)}`,
      parentHash: `0x${'11'.repeat(32)}`,
      stateRoot: `0x${'22'.repeat(32)}`,
      mixHash: `0x${'33'.repeat(32)}`,
      extraData: '0x6265617665726275696c642e6f7267',
      transactionsTrie: transactionsRoot(transactions),
      receiptTrie: receiptsRoot(receipts),
      logsBloom: logsBloom(receipts.flatMap(({ logs }) => logs)),
      withdrawalsRoot: KECCAK256_RLP,
      blobGasUsed,
      excessBlobGas: 0n,
      parentBeaconBlockRoot: `0x${'44'.repeat(32)}`,
      requestsHash: '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    },
    { common: mainnet },
  )
  const blockHash = bytesToHex(header.hash())
  const block: FullBlock['block'] = {
    number: hex(number),
    hash: blockHash,
    parentHash: bytesToHex(header.parentHash),
    sha3Uncles: bytesToHex(KECCAK256_RLP_ARRAY),
    miner: bytesToHex(header.coinbase.bytes),
    stateRoot: bytesToHex(header.stateRoot),
    transactionsRoot: bytesToHex(header.transactionsTrie),
    receiptsRoot: bytesToHex(header.receiptTrie),
    logsBloom: bytesToHex(header.logsBloom),
    difficulty: '0x0',
    gasLimit: hex(header.gasLimit),
    gasUsed: hex(header.gasUsed),
    timestamp: hex(header.timestamp),
    extraData: bytesToHex(header.extraData),
    mixHash: bytesToHex(header.mixHash),
    nonce: zeros(8),
    baseFeePerGas: hex(baseFeePerGas),
    withdrawalsRoot: bytesToHex(KECCAK256_RLP),
    blobGasUsed: hex(blobGasUsed),
    excessBlobGas: '0x0',
    parentBeaconBlockRoot: bytesToHex(header.parentBeaconBlockRoot!),
    requestsHash: bytesToHex(header.requestsHash!),
    uncles: [],
    withdrawals: [],
    transactions: transactions.map((tx) => ({ ...tx, blockHash })),
  }
  const types = new Map<string, number>()
  for (const { type } of transactions) types.set(type!, (types.get(type!) ?? 0) + 1)
  return { block, types, receipts: receipts.map((receipt) => inBlock(receipt, blockHash)) }
}

function inBlock(receipt: Receipt, blockHash: Hex): Receipt {
  return { ...receipt, blockHash, logs: receipt.logs.map((log) => ({ ...log, blockHash })) }
}

function createSigned(i: number, random: () => number): TypedTransaction {
  const key = hexToBytes(bytes(random, 32))
  const type = [2, 0, 2, 2, 0, 2, 2, 1, 2, 2, 0, 2, 3, 2, 2, 0, 2, 4, 2, 2][i % 20]!
  // Transfers, token transfers, swaps.
  const size = [0, 0, 68, 68, 68, 260, 420, 900][Math.floor(random() * 8)]!
  const fees = { maxFeePerGas: 2n * baseFeePerGas, maxPriorityFeePerGas }
  const common = {
    type,
    nonce: BigInt(i + 7),
    gasLimit: 80_000n + BigInt(i),
    to: bytes(random, 20),
    value: BigInt(Math.floor(random() * 1e15)),
    data: bytes(random, size),
  }
  const list = [{ address: bytes(random, 20), storageKeys: [bytes(random, 32), bytes(random, 32)] }]
  const authorization = {
    chainId: '0x1',
    address: bytes(random, 20),
    nonce: '0x1',
    yParity: '0x1',
    r: `0x7${bytes(random, 32).slice(3)}`,
    s: `0x1${bytes(random, 32).slice(3)}`,
  } as const
  const members = {
    0: { ...common, gasPrice: baseFeePerGas + maxPriorityFeePerGas },
    1: { ...common, chainId: 1n, gasPrice: baseFeePerGas + maxPriorityFeePerGas, accessList: list },
    2: { ...common, ...fees, chainId: 1n, accessList: i % 3 === 0 ? list : [] },
    3: {
      ...common,
      ...fees,
      chainId: 1n,
      accessList: [],
      maxFeePerBlobGas: 1_000n,
      blobVersionedHashes: [`0x01${bytes(random, 31).slice(2)}` as const],
    },
    4: { ...common, ...fees, chainId: 1n, accessList: [], authorizationList: [authorization] },
  }[type]
  const tx = createTx(members as Parameters<typeof createTx>[0], { common: mainnet })
  return tx.sign(key)
}

/** Prints it as a node does. */
function answerOf(tx: TypedTransaction, place: object, i: number): Transaction {
  const json = tx.toJSON()
  const { gasLimit, data, maxFeePerGas, v, chainId, yParity, ...rest } = json as Record<string, unknown>
  const isLegacy = tx.type === 0
  return {
    ...rest,
    ...place,
    type: hex(tx.type),
    gas: gasLimit,
    input: data,
    gasPrice: isLegacy || tx.type === 1 ? json.gasPrice : hex(baseFeePerGas + maxPriorityFeePerGas),
    ...(isLegacy || tx.type === 1 ? {} : { maxFeePerGas }),
    chainId: chainId ?? '0x1',
    v: v ?? yParity,
    ...(isLegacy ? {} : { yParity: yParity ?? v }),
    // The library pads numbers; nodes do not.
    ...(tx.type === 4 ? { authorizationList: (json.authorizationList ?? []).map(unpadded) } : {}),
    hash: bytesToHex(tx.hash()),
    from: tx.getSenderAddress().toString(),
    transactionIndex: hex(i),
  } as unknown as Transaction
}

function unpadded({ chainId, address, nonce, yParity, r, s }: EOACode7702AuthorizationListItem): Authorization {
  const [chain, count, parity, left, right] = [chainId, nonce, yParity, r, s].map((value) => hex(BigInt(value)))
  return { chainId: chain!, address, nonce: count!, yParity: parity!, r: left!, s: right! }
}

function receiptOf(tx: TypedTransaction, at: object, logs: readonly Log[], gas: bigint): Receipt {
  return {
    ...(at as Pick<Receipt, 'blockHash' | 'blockNumber' | 'transactionHash' | 'transactionIndex'>),
    from: tx.getSenderAddress().toString(),
    to: tx.to!.toString(),
    contractAddress: null,
    gasUsed: hex(tx.gasLimit),
    cumulativeGasUsed: hex(gas),
    effectiveGasPrice: hex(baseFeePerGas + maxPriorityFeePerGas),
    logs,
    logsBloom: logsBloom(logs),
    status: '0x1',
    type: hex(tx.type),
    ...(tx.type === 3 ? { blobGasUsed: '0x20000', blobGasPrice: '0x1' } : {}),
  }
}

function eventOf(random: () => number): Pick<Log, 'topics' | 'data'> {
  return { topics: Array.from({ length: 3 }, () => bytes(random, 32)), data: bytes(random, 32) }
}

function hex(value: bigint | number): Hex {
  return `0x${value.toString(16)}`
}

function bytes(random: () => number, length: number): Hex {
  let digits = ''
  for (let i = 0; i < length; i++)
    digits += Math.floor(random() * 256)
      .toString(16)
      .padStart(2, '0')
  return `0x${digits}`
}

/** Draws the same numbers from 0 to 1 for the same seed: a linear congruential generator. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
