import { assertValid } from '@wayleave/jsonrpc-core/schema'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { type Address, addressSchema } from './data.ts'
import { keccak256 } from './keccak.ts'
import { mismatch } from './word.ts'

/**
 * The address with its letters in the case that its hash gives. Pass a chain id only on the few chains that mix it in,
 * such as RSK (30 and 31). The case of the argument does not matter; {@link parseAddress} checks it.
 * Source: EIP-55, EIP-1191.
 * @throws SchemaError if it is not an address.
 */
export function checksumAddress(address: Address, chainId?: number): Address {
  assertValid<Address>(addressSchema, address, 'address')
  const digits = address.slice(2).toLowerCase()
  const hash = keccak256(utf8ToBytes(chainId === undefined ? digits : `${chainId}0x${digits}`))
  const cased = [...digits].map((digit, i) => (hash[i + 2]! >= '8' ? digit.toUpperCase() : digit))
  return `0x${cased.join('')}`
}

/** Whether `text` is an address in exactly the case that {@link checksumAddress} gives it. Never throws. */
export function isChecksumAddress(text: string, chainId?: number): boolean {
  return addressSchema.check(text, '') === undefined && text === checksumAddress(text as Address, chainId)
}

/**
 * The address that a person typed, in lower case. Mixed case must match the checksum, which catches a wrong digit and
 * two swapped ones. Letters all of one case carry no checksum.
 * @throws SchemaError if it is not an address, or its checksum is wrong.
 */
export function parseAddress(text: string, chainId?: number): Address {
  assertValid<Address>(addressSchema, text, 'address')
  const digits = text.slice(2)
  const lower = digits.toLowerCase()
  if (digits !== lower && digits !== digits.toUpperCase() && !isChecksumAddress(text, chainId)) {
    throw mismatch('address', 'letters in the case of its checksum (EIP-55): a digit may be wrong', text)
  }
  return `0x${lower}`
}
