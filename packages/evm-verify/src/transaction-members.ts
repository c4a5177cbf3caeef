import {
  accessListSchema,
  addressSchema,
  type Authorization,
  authorizationListSchema,
  dataSchema,
  type Hash,
  hashSchema,
  type Hex,
  quantitySchema,
  type Transaction,
  wordSchema,
} from '@wayleave/evm-types'
import { array, boolean, type Schema } from '@wayleave/jsonrpc-core/schema'
import { assertMember } from './assert-member.ts'
import { bytesFromHex, bytesFromNumber } from './bytes.ts'
import type { RlpItem } from './rlp.ts'

/** Makes the RLP item of a member's value. @throws VerifyError `malformed` */
export type MemberEncoder = (value: unknown, field: string) => RlpItem

/** The members that a type of transaction hashes, in the order of its encoding. */
export type HashedMembers = readonly (readonly [keyof Transaction, MemberEncoder])[]

/** A number without padding. */
export const quantityItem: MemberEncoder = encoder<Hex>(quantitySchema, bytesFromNumber)

/** A number that some nodes pad to 32 bytes. */
export const wordItem: MemberEncoder = encoder<Hex>(wordSchema, bytesFromNumber)

const nothing = new Uint8Array(0)
const dataItem = encoder<Hex>(dataSchema, bytesFromHex)
const hashItem = encoder<Hex>(hashSchema, bytesFromHex)
const addressItem = encoder<Hex>(addressSchema, bytesFromHex)
const recipientItem: MemberEncoder = (to, field) => (to === null ? nothing : addressItem(to, field))
// op-alloy leaves out the recipient of a deposit that creates a contract.
const depositRecipientItem: MemberEncoder = (to, field) => recipientItem(to ?? null, field)
const hashesItem = encoder<readonly Hash[]>(array(hashSchema), (hashes) => hashes.map(bytesFromHex))
// Nodes leave out a mint of zero; the hash tells whether it was zero.
const mintItem: MemberEncoder = (mint, field) => quantityItem(mint ?? '0x0', field)
const flag = encoder<boolean>(boolean, (value) => (value ? Uint8Array.of(1) : nothing))
const flagItem: MemberEncoder = (value, field) => flag(value ?? false, field)

const fullAccessListItem = encoder(accessListSchema, (list) =>
  list.map(({ address, storageKeys }) => [bytesFromHex(address), storageKeys.map(bytesFromHex)]),
)
// Some nodes leave out an empty list; the hash tells whether it was empty.
const accessListItem: MemberEncoder = (list, field) => fullAccessListItem(list ?? [], field)

const fullAuthorizationsItem = encoder<readonly Authorization[]>(authorizationListSchema, (list) =>
  list.map(({ chainId, address, nonce, yParity, r, s }) => [
    bytesFromNumber(chainId),
    bytesFromHex(address),
    ...[nonce, yParity, r, s].map(bytesFromNumber),
  ]),
)
const authorizationsItem: MemberEncoder = (list, field) =>
  fullAuthorizationsItem(Array.isArray(list) ? list.map(withParity) : list, field)

/** Takes `v` for `yParity` where a node gives only that. */
export function withParity(authorization: Authorization): Authorization {
  const { yParity, v } = Object(authorization) as Partial<Authorization> & { readonly v?: Hex }
  return yParity == null && v != null ? { ...authorization, yParity: v } : authorization
}

const call: HashedMembers = [
  ['gas', quantityItem],
  ['to', recipientItem],
  ['value', quantityItem],
  ['input', dataItem],
]
const legacy: HashedMembers = [['nonce', quantityItem], ['gasPrice', quantityItem], ...call]
const dynamicFee: HashedMembers = [
  ['chainId', quantityItem],
  ['nonce', quantityItem],
  ['maxPriorityFeePerGas', quantityItem],
  ['maxFeePerGas', quantityItem],
  ...call,
  ['accessList', accessListItem],
]
// Blob transactions and delegations create no contracts.
const dynamicFeeCall: HashedMembers = dynamicFee.map((member) => (member[0] === 'to' ? ['to', addressItem] : member))

/** The type of OP-stack deposits: transactions that another network orders, and that nobody signs. */
export const depositType = 0x7e

/** The hashed members by type. Source: EIP-2718, EIP-155, EIP-2930, EIP-1559, EIP-4844, EIP-7702; deposits: specs.optimism.io. */
export const hashedMembers: ReadonlyMap<number, HashedMembers> = new Map<number, HashedMembers>([
  [0, legacy],
  [1, [['chainId', quantityItem], ...legacy, ['accessList', accessListItem]]],
  [2, dynamicFee],
  [3, [...dynamicFeeCall, ['maxFeePerBlobGas', quantityItem], ['blobVersionedHashes', hashesItem]]],
  [4, [...dynamicFeeCall, ['authorizationList', authorizationsItem]]],
  [
    depositType,
    [
      ['sourceHash', hashItem],
      ['from', addressItem],
      ['to', depositRecipientItem],
      ['mint', mintItem],
      ['value', quantityItem],
      ['gas', quantityItem],
      ['isSystemTx', flagItem],
      ['input', dataItem],
    ],
  ],
])

function encoder<T>(schema: Schema<T>, encode: (value: T) => RlpItem): MemberEncoder {
  return (value, field) => {
    assertMember(schema, value, field)
    return encode(value)
  }
}
