import { addressSchema, dataSchema, type Hash, type Hex, wordSchema } from '@wayleave/evm-types'
import type { Schema } from '@wayleave/jsonrpc-core/schema'
import { assertMember } from './assert-member.ts'
import { bytesFromHex, bytesFromNumber, hexFromBytes } from './bytes.ts'
import { VerifyError } from './error.ts'
import { keccak } from './keccak.ts'
import { isRecord } from './refusal.ts'
import { encodeRlp, type RlpItem } from './rlp.ts'

type Encode = (value: unknown, path: string) => RlpItem

/**
 * `blockAccessListHash` of a block, from the answer of `eth_getBlockAccessList`. Nodes name the members of changes differently, so these
 * are told apart by what they hold. Source: EIP-7928.
 * @throws VerifyError `malformed`, `unsupported` for members that are not known
 */
export function blockAccessListHash(list: unknown): Hash {
  return hexFromBytes(keccak(encodeRlp(listOf(accountItem)(list, ''))))
}

const accountItem: Encode = (account, path) => {
  const { address, ...rest } = recordOf(account, path)
  assertMember(addressSchema, address, `${path}.address`)
  const lists = accountLists.map(([name, encode]) => {
    const { [name]: list = [] } = rest
    delete rest[name]
    return encode(list, `${path}.${name}`)
  })
  for (const name of Object.keys(rest)) throw notKnown(`${path}.${name}`)
  return [bytesFromHex(address), ...lists]
}

/** Keys and values may be padded; their encoding is not. */
const number = encodeAs(wordSchema, bytesFromNumber)

/** A change: the index of its transaction, by a member whose name ends so, and what there is after it. */
const changeTo =
  (after: Encode): Encode =>
  (change, path) =>
    pairOf(change, path, (name) => /index$/i.test(name), number, after)

/** A slot, and the list of its changes. */
const slotItem: Encode = (slot, path) =>
  pairOf(slot, path, (_, value) => !Array.isArray(value), number, listOf(changeTo(number)))

const accountLists: readonly (readonly [name: string, encode: Encode])[] = [
  ['storageChanges', listOf(slotItem)],
  ['storageReads', listOf(number)],
  ['balanceChanges', listOf(changeTo(number))],
  ['nonceChanges', listOf(changeTo(number))],
  ['codeChanges', listOf(changeTo(encodeAs(dataSchema, bytesFromHex)))],
]

/** Encodes the two members of an object; `isFirst` tells which comes first. */
function pairOf(
  value: unknown,
  path: string,
  isFirst: (name: string, value: unknown) => boolean,
  first: Encode,
  second: Encode,
): RlpItem {
  const members = Object.entries(recordOf(value, path))
  const [head, tail] = isFirst(...members[0]!) ? members : members.toReversed()
  if (members.length !== 2 || !isFirst(...head!) || isFirst(...tail!)) throw notKnown(path)
  return [first(head![1], `${path}.${head![0]}`), second(tail![1], `${path}.${tail![0]}`)]
}

function listOf(encode: Encode): Encode {
  return (list, path) => {
    if (!Array.isArray(list)) throw new VerifyError('malformed', path, `${path}: expected an array`)
    return list.map((value: unknown, i) => encode(value, path === '' ? String(i) : `${path}.${i}`))
  }
}

function encodeAs(schema: Schema<Hex>, encode: (value: Hex) => Uint8Array): Encode {
  return (value, path) => {
    assertMember<Hex>(schema, value, path)
    return encode(value)
  }
}

function recordOf(value: unknown, path: string): Record<string, unknown> {
  if (isRecord(value) && Object.keys(value).length > 0) return { ...value }
  throw new VerifyError('malformed', path, `${path}: expected an object`)
}

function notKnown(path: string): VerifyError {
  return new VerifyError('unsupported', path, `${path}: how this is encoded is not known here`)
}
