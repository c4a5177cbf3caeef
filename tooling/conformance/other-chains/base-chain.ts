import { headerHash, transactionHash, transactionsRoot } from '@wayleave/evm-verify'
import {
  addressOf,
  digest,
  hex,
  type Hex,
  type Json,
  type RigBlock,
  type RigChain,
  reportedBlock,
  word,
} from './rig-chain.ts'

/** The contract that has logs. */
export const baseContract: Hex = addressOf('contract')
export const baseTopic: Hex = digest('Stored(uint256)')
const sender = addressOf('sender')
/** Parts that are remembered. */
const mostBefore = 16

/** A chain whose next block grows part by part. */
export interface BaseChain extends RigChain {
  /** Adds a flashblock of one transaction to the block that is being made, and gives its hash. */
  preconfirm(): Hex
  /** The part of the block that is being made, from 0. */
  readonly part: number
}

/**
 * A chain of the OP stack as Base's nodes tell it: each block begins with a deposit, receipts have the fees of the L1, and the block that is
 * being made grows by flashblocks. Source: OP stack specification, deposits and Holocene; Base, flashblocks.
 */
export function baseChain(first: number): BaseChain {
  const blocks: RigBlock[] = []
  let parentHash: Hex = digest('base genesis')
  let part = 0
  let pending = blockOf(first, parentHash, part)
  const before: RigBlock[] = []
  const goOn = (): void => {
    before.unshift(pending)
    before.length = Math.min(before.length, mostBefore)
  }
  const missing = (method: string): { readonly code: number; readonly message: string } => ({
    code: -32601,
    message: `the method ${method} does not exist/is not available`,
  })
  return {
    chainId: 8453,
    client: 'base/v1.3.1-reth',
    blocks,
    get pending() {
      return pending
    },
    get part() {
      return part
    },
    pendingBefore: (parts) => (parts === 0 ? pending : (before[parts - 1] ?? pending)),
    preconfirm() {
      goOn()
      pending = blockOf(pending.number, parentHash, ++part)
      return pending.transactions.at(-1)!.hash
    },
    mine() {
      goOn()
      blocks.push(pending)
      parentHash = pending.hash
      part = 0
      pending = blockOf(pending.number + 1, parentHash, part)
    },
    own(method, [body]) {
      if (method !== 'eth_simulateV1') return undefined
      const { blockStateCalls } = body as { readonly blockStateCalls: readonly { readonly calls?: readonly Json[] }[] }
      const result = blockStateCalls.map(({ calls = [] }) => ({
        ...reportedBlock(pending, false),
        calls: calls.map(() => ({ returnData: word(7), logs: [], gasUsed: '0x5208', status: '0x1' })),
      }))
      return { result }
    },
    errors: {
      hole: () => undefined,
      future: () => undefined,
      unknownHash: () => undefined,
      futureLogs: () => ({ code: -32602, message: 'block range extends beyond current head block' }),
      earliest: () => undefined,
      unknownMethod: missing,
      unknownFilter: () => ({ code: -32000, message: 'filter not found' }),
    },
    finalDepth: 20,
    pushesTransactions: false,
  }
}

function transactionsOf(number: number, parts: number): readonly (Json & { readonly hash: Hex })[] {
  const deposit = {
    type: '0x7e',
    sourceHash: digest(`source ${number}`),
    from: '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001',
    to: '0x4200000000000000000000000000000000000015',
    mint: '0x0',
    value: '0x0',
    gas: '0xf4240',
    isSystemTx: false,
    input: `0x440a5e20${word(number).slice(2)}`,
    nonce: hex(number),
    gasPrice: '0x0',
    depositReceiptVersion: '0x1',
    v: '0x0',
    r: '0x0',
    s: '0x0',
    yParity: '0x0',
  }
  const calls = Array.from({ length: parts }, (_, i) => ({
    type: '0x2',
    chainId: '0x2105',
    nonce: hex(number * 100 + i),
    from: sender,
    to: baseContract,
    value: '0x0',
    gas: '0x186a0',
    gasPrice: '0xf4240',
    maxFeePerGas: '0x1e8480',
    maxPriorityFeePerGas: '0xf4240',
    accessList: [],
    input: `0x6057361d${word(number).slice(2)}`,
    v: '0x1',
    yParity: '0x1',
    r: `0x1${digest(`r ${number} ${i}`).slice(3)}`,
    s: `0x1${digest(`s ${number} ${i}`).slice(3)}`,
  }))
  return [deposit, ...calls].map((each) => ({ ...each, hash: transactionHash(each as never) as Hex }))
}

function blockOf(number: number, parentHash: Hex, parts: number): RigBlock {
  const bare = transactionsOf(number, parts)
  const fields = {
    parentHash,
    sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
    miner: '0x4200000000000000000000000000000000000011',
    stateRoot: digest(`state ${number} ${parts}`),
    transactionsRoot: transactionsRoot(bare as never),
    receiptsRoot: digest(`receipts ${number} ${parts}`),
    logsBloom: `0x${'f'.repeat(512)}`,
    difficulty: '0x0',
    number: hex(number),
    gasLimit: '0xe4e1c0',
    gasUsed: hex(50_000 + 30_000 * parts),
    timestamp: hex(1_760_000_000 + 2 * number),
    extraData: '0x00000000fa00000006',
    mixHash: digest(`randao ${number}`),
    nonce: '0x0000000000000000',
    baseFeePerGas: '0x4c4b40',
    withdrawalsRoot: '0x8ed4baae3a927be3dea54996b4d5899f8c01e7594bf50b17dc1e741388ce3d12',
    blobGasUsed: '0x0',
    excessBlobGas: '0x0',
    parentBeaconBlockRoot: digest(`beacon ${number}`),
  }
  const hash = headerHash(fields as never) as Hex
  const header = { ...fields, hash, size: hex(700 + 100 * parts), totalDifficulty: '0x0', uncles: [], withdrawals: [] }
  const place = { blockHash: hash, blockNumber: hex(number) }
  const transactions = bare.map((each, index) => ({ ...each, ...place, transactionIndex: hex(index) }))
  const receipts = transactions.map(({ hash: txHash, transactionIndex, ...each }, index) => ({
    type: (each as Json)['type'],
    status: '0x1',
    cumulativeGasUsed: hex(50_000 + 30_000 * index),
    logs:
      index === 0
        ? []
        : [
            {
              address: baseContract,
              topics: [baseTopic],
              data: word(number),
              ...place,
              blockTimestamp: fields.timestamp,
              transactionHash: txHash,
              transactionIndex,
              logIndex: hex(index - 1),
              removed: false,
            },
          ],
    logsBloom: `0x${(index === 0 ? '0' : 'f').repeat(512)}`,
    transactionHash: txHash,
    transactionIndex,
    ...place,
    gasUsed: index === 0 ? hex(50_000) : hex(30_000),
    effectiveGasPrice: index === 0 ? '0x0' : '0xf4240',
    from: (each as Json)['from'],
    to: (each as Json)['to'],
    contractAddress: null,
    ...(index === 0 ? { depositNonce: hex(number), depositReceiptVersion: '0x1' } : {}),
    l1GasPrice: '0x3b9aca00',
    l1GasUsed: '0x640',
    l1Fee: index === 0 ? '0x0' : '0x2540be400',
    l1BaseFeeScalar: '0x8dd',
    l1BlobBaseFee: '0x1',
    l1BlobBaseFeeScalar: '0x101c12',
    operatorFeeScalar: '0x0',
    operatorFeeConstant: '0x0',
    daFootprintGasScalar: '0x8b',
  }))
  return { number, hash, header, transactions, receipts }
}
