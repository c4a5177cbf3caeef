import { addressSchema, dataSchema, type Hash, type Hex, wordSchema } from '@wayleave/evm-types'
import { assertMember } from './assert-member.ts'
import { bytesFromHex, bytesFromNumber, hexFromBytes } from './bytes.ts'
import { VerifyError } from './error.ts'
import { keccak } from './keccak.ts'
import { isRecord } from './refusal.ts'
import { encodeRlp, type RlpItem } from './rlp.ts'

/**
 * `blockAccessListHash` of a block, from the answer of `eth_getBlockAccessList`. Nodes name the members of changes differently, so these
 * are told apart by what they hold. Source: EIP-7928.
 * @throws VerifyError `malformed`, `unsupported` for members that are not known
 */
export function blockAccessListHash(list: unknown): Hash {
  if (!Array.isArray(list)) throw new VerifyError('malformed', '', 'expected an array')
  return hexFromBytes(keccak(encodeRlp(itemOf(list, '', ''))))
}

/** Members of an account in the order of its encoding. */
const members = ['address', 'storageChanges', 'storageReads', 'balanceChanges', 'nonceChanges', 'codeChanges']

/** Encodes what stands at `path`, in the `member` of an account. */
function itemOf(value: unknown, path: string, member: string): RlpItem {
  if (Array.isArray(value)) return value.map((each: unknown, i) => itemOf(each, path + i, member))
  if (isRecord(value)) {
    const names = member === '' ? members : pairOf(value)
    if (!Object.keys(value).every((name) => names.includes(name)))
      throw new VerifyError('unsupported', path, `${path}: how this is encoded is not known here`)
    return names.map((name, i) =>
      itemOf(value[name] ?? (member === '' && i > 0 ? [] : undefined), `${path}.${name}.`, member || name),
    )
  }
  // Keys and values may be padded; their encoding is not.
  const isBytes = member === 'address' || (member === 'codeChanges' && !isIndex(path.slice(0, -1)))
  assertMember<Hex>(member === 'address' ? addressSchema : isBytes ? dataSchema : wordSchema, value, path.slice(0, -1))
  return isBytes ? bytesFromHex(value) : bytesFromNumber(value)
}

const isIndex = (name: string): boolean => /index$/i.test(name)

/** The names in a change, the index of its transaction first, or in a slot, its changes last; none where these are not known. */
function pairOf(value: Readonly<Record<string, unknown>>): readonly string[] {
  const names = Object.keys(value)
  const hasIndex = names.some(isIndex)
  const isFirst = (name: string): boolean => (hasIndex ? isIndex(name) : !Array.isArray(value[name]))
  const [first, ...others] = names.toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a)))
  return others.length === 1 && !isFirst(others[0]!) ? [first!, others[0]!] : []
}
