import {
  accessListSchema,
  addressSchema,
  authorizationListSchema,
  dataSchema,
  type Hash,
  hashSchema,
  type Hex,
  quantitySchema,
  type Transaction,
  wordSchema,
} from '@wayleave/evm-types'
import { array, type Schema } from '@wayleave/jsonrpc-core/schema'
import { bytesFromHex, bytesFromNumber } from './bytes.ts'
import { VerifyError } from './error.ts'
import type { RlpItem } from './rlp.ts'

/** Makes the RLP item of a member's value. @throws VerifyError `malformed` */
export type MemberEncoder = (value: unknown, field: string) => RlpItem

/** The members that a type of transaction signs, in the order of its encoding. */
export type SignedMembers = Readonly<Partial<Record<keyof Transaction, MemberEncoder>>>

/** A number without padding. */
export const quantityItem: MemberEncoder = encoder<Hex>(quantitySchema, bytesFromNumber)

/** A number that some nodes pad to 32 bytes. */
export const wordItem: MemberEncoder = encoder<Hex>(wordSchema, bytesFromNumber)

const dataItem = encoder<Hex>(dataSchema, bytesFromHex)
const addressItem = encoder<Hex>(addressSchema, bytesFromHex)
const recipientItem: MemberEncoder = (to, field) => (to === null ? new Uint8Array(0) : addressItem(to, field))
const hashesItem = encoder<readonly Hash[]>(array(hashSchema), (hashes) => hashes.map(bytesFromHex))

const fullAccessListItem = encoder(accessListSchema, (list) =>
  list.map(({ address, storageKeys }) => [bytesFromHex(address), storageKeys.map(bytesFromHex)]),
)
// Some nodes leave an empty list out; the hash tells whether it was empty.
const accessListItem: MemberEncoder = (list, field) => fullAccessListItem(list ?? [], field)

const authorizationsItem = encoder(authorizationListSchema, (list) =>
  list.map(({ chainId, address, nonce, yParity, r, s }) => [
    bytesFromNumber(chainId),
    bytesFromHex(address),
    ...[nonce, yParity, r, s].map(bytesFromNumber),
  ]),
)

const legacy: SignedMembers = {
  nonce: quantityItem,
  gasPrice: quantityItem,
  gas: quantityItem,
  to: recipientItem,
  value: quantityItem,
  input: dataItem,
}

const dynamicFee: SignedMembers = {
  chainId: quantityItem,
  nonce: quantityItem,
  maxPriorityFeePerGas: quantityItem,
  maxFeePerGas: quantityItem,
  gas: quantityItem,
  to: recipientItem,
  value: quantityItem,
  input: dataItem,
  accessList: accessListItem,
}

/** By type. Source: EIP-2718, EIP-155, EIP-2930, EIP-1559, EIP-4844, EIP-7702. */
export const signedMembers: ReadonlyMap<number, SignedMembers> = new Map([
  [0, legacy],
  [1, { chainId: quantityItem, ...legacy, accessList: accessListItem }],
  [2, dynamicFee],
  [3, { ...dynamicFee, to: addressItem, maxFeePerBlobGas: quantityItem, blobVersionedHashes: hashesItem }],
  [4, { ...dynamicFee, to: addressItem, authorizationList: authorizationsItem }],
])

function encoder<T>(schema: Schema<T>, encode: (value: T) => RlpItem): MemberEncoder {
  return (value, field) => {
    assertMember(schema, value, field)
    return encode(value)
  }
}

/** Asserts the form of a member. @throws VerifyError `malformed` */
export function assertMember<T>(schema: Schema<T>, value: unknown, field: string): asserts value is T {
  const issue = schema.check(value, field)
  if (issue === undefined) return
  throw new VerifyError('malformed', issue.path, `${issue.path}: expected ${issue.expected}, got ${issue.received}`)
}
