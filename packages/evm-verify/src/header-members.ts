import { addressSchema, dataSchema, type Hex, hashSchema, quantitySchema, type Uncle } from '@wayleave/evm-types'
import type { Schema } from '@wayleave/jsonrpc-core/schema'
import { bytesFromHex, bytesFromNumber } from './bytes.ts'
import { VerifyError } from './error.ts'
import type { RlpItem } from './rlp.ts'

/** A header: the members of a block or an uncle that its hash may cover. */
export type Header = Omit<Uncle, 'hash' | 'size' | 'totalDifficulty' | 'uncles'>

interface HeaderMember {
  readonly name: keyof Header
  readonly schema: Schema<Hex>
  readonly encode: (value: Hex) => Uint8Array
  /** The number of the fork that added the member; 0 for members of every header. */
  readonly fork: number
}

const bytes = (size: number): Schema<Hex> => ({
  expected: `${size} bytes in hex`,
  check: (value, path) =>
    typeof value === 'string' && value.length !== 2 + 2 * size
      ? { path, expected: `${size} bytes in hex`, received: `${value.length} characters` }
      : dataSchema.check(value, path),
})

const hash = (name: keyof Header, fork = 0): HeaderMember => ({ name, schema: hashSchema, encode: bytesFromHex, fork })
const quantity = (name: keyof Header, fork = 0): HeaderMember => ({
  name,
  schema: quantitySchema,
  encode: bytesFromNumber,
  fork,
})

/**
 * The members of a header in the order of its encoding, with those that forks added at its end.
 * Source: Yellow Paper §4.4.3; EIP-1559, EIP-4895, EIP-4844, EIP-4788, EIP-7685, EIP-7928, EIP-7843.
 */
export const headerMembers: readonly HeaderMember[] = [
  hash('parentHash'),
  hash('sha3Uncles'),
  { name: 'miner', schema: addressSchema, encode: bytesFromHex, fork: 0 },
  hash('stateRoot'),
  hash('transactionsRoot'),
  hash('receiptsRoot'),
  { name: 'logsBloom', schema: bytes(256), encode: bytesFromHex, fork: 0 },
  quantity('difficulty'),
  quantity('number'),
  quantity('gasLimit'),
  quantity('gasUsed'),
  quantity('timestamp'),
  { name: 'extraData', schema: dataSchema, encode: bytesFromHex, fork: 0 },
  hash('mixHash'),
  { name: 'nonce', schema: bytes(8), encode: bytesFromHex, fork: 0 },
  quantity('baseFeePerGas', 1),
  hash('withdrawalsRoot', 2),
  quantity('blobGasUsed', 3),
  quantity('excessBlobGas', 3),
  hash('parentBeaconBlockRoot', 3),
  hash('requestsHash', 4),
  hash('blockAccessListHash', 5),
  quantity('slotNumber', 5),
]

/** The items of a header, as many as its fork has. Absent and null members end it. @throws VerifyError `malformed` */
export function headerItems(header: Header): RlpItem[] {
  const items: RlpItem[] = []
  const last = headerMembers.findLast(({ name, fork }) => fork === 0 || header[name] != null)!
  for (const { name, schema, encode, fork } of headerMembers) {
    if (fork > last.fork) break
    const value: unknown = header[name]
    const issue = schema.check(value, name)
    if (issue !== undefined)
      throw missing(issue.path, issue.expected, issue.received, last.name, value == null && fork > 0)
    items.push(encode(value as Hex))
  }
  return items
}

function missing(field: string, expected: string, received: string, later: string, isGap: boolean): VerifyError {
  const why = isGap ? `: a header with ${later} has it` : ''
  return new VerifyError('malformed', field, `${field}: expected ${expected}, got ${received}${why}`)
}
