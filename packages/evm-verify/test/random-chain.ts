import { bytesToHex } from '@noble/hashes/utils.js'
import type { Hex, Log, Withdrawal } from '@wayleave/evm-types'
import { type Arbitrary, array, bigInt, constantFrom, record, tuple, uint8Array } from 'fast-check'
import type { Header } from '../src/header-members.ts'
import type { EncodableReceipt } from '../src/index.ts'

/** How often each property is compared with an oracle; `DIFFERENTIAL` sets another count. */
export const differentialRuns: number = Number(process.env['DIFFERENTIAL'] ?? 250)

const hexOf = (bytes: Uint8Array): Hex => `0x${bytesToHex(bytes)}`
const quantity = (bits: bigint): Arbitrary<Hex> => bigInt(0n, 2n ** bits - 1n).map((n): Hex => `0x${n.toString(16)}`)
const bytes = (min: number, max: number = min): Arbitrary<Hex> =>
  uint8Array({ minLength: min, maxLength: max }).map(hexOf)

const always = {
  parentHash: bytes(32),
  sha3Uncles: bytes(32),
  miner: bytes(20),
  stateRoot: bytes(32),
  transactionsRoot: bytes(32),
  receiptsRoot: bytes(32),
  logsBloom: bytes(256),
  difficulty: quantity(64n),
  number: quantity(48n),
  gasLimit: bigInt(2n ** 32n, 2n ** 48n).map((n): Hex => `0x${n.toString(16)}`),
  gasUsed: quantity(32n),
  timestamp: quantity(48n),
  extraData: bytes(0, 100),
  mixHash: bytes(32),
  nonce: bytes(8),
}
const london = { ...always, baseFeePerGas: quantity(64n) }
const shanghai = { ...london, withdrawalsRoot: bytes(32) }
const cancun = {
  ...shanghai,
  blobGasUsed: quantity(40n),
  excessBlobGas: quantity(40n),
  parentBeaconBlockRoot: bytes(32),
}
const prague = { ...cancun, requestsHash: bytes(32) }
const amsterdam = { ...prague, blockAccessListHash: bytes(32), slotNumber: quantity(48n) }

/** Headers of each fork that brought members. */
export const randomHeaders: Readonly<Record<string, Arbitrary<Header>>> = {
  chainstart: record(always),
  london: record(london),
  shanghai: record(shanghai),
  cancun: record(cancun),
  prague: record(prague),
  amsterdam: record(amsterdam),
}

export const randomWithdrawals: Arbitrary<Withdrawal[]> = array(
  record({ index: quantity(64n), validatorIndex: quantity(64n), address: bytes(20), amount: quantity(64n) }),
  { maxLength: 20 },
)

const log: Arbitrary<Log> = tuple(bytes(20), array(bytes(32), { maxLength: 4 }), bytes(0, 100)).map(
  ([address, topics, data]) => ({
    address,
    topics,
    data,
    blockHash: null,
    blockNumber: null,
    logIndex: null,
    transactionHash: null,
    transactionIndex: null,
  }),
)

export const randomReceipts: Arbitrary<EncodableReceipt[]> = array(
  tuple(
    record({
      type: constantFrom<Hex>('0x0', '0x1', '0x2', '0x3', '0x4'),
      cumulativeGasUsed: quantity(64n),
      logs: array(log, { maxLength: 4 }),
    }),
    record({ status: constantFrom<Hex>('0x0', '0x1') }),
    record({ root: bytes(32) }),
    constantFrom(true, false),
  ).map(([receipt, status, root, isOld]) => ({ ...receipt, ...(isOld ? root : status) })),
  { maxLength: 12 },
)
