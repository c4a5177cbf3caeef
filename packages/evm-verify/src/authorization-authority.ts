import {
  type Address,
  addressSchema,
  type Authorization,
  type Quantity,
  quantitySchema,
  wordSchema,
} from '@wayleave/evm-types'
import { assertMember } from './assert-member.ts'
import { bytesFromHex, bytesFromNumber, joinBytes } from './bytes.ts'
import { VerifyError } from './error.ts'
import { keccak } from './keccak.ts'
import { recoverAddress } from './recover-address.ts'
import { encodeRlp } from './rlp.ts'
import { withParity } from './transaction-members.ts'

const magic = Uint8Array.of(5)

/**
 * The account that an entry of an `authorizationList` delegates, which is its signer, in lower case. Whether the chain
 * accepts the delegation also depends on its nonce and its chain. `v` stands in for an absent `yParity`. Source: EIP-7702.
 * @throws VerifyError `malformed`; `invalid_signature`, for an entry that the chain skips.
 */
export function authorizationAuthority(authorization: Authorization): Address {
  const { chainId, address, nonce, yParity, r, s } = withParity(authorization)
  for (const [name, quantity] of Object.entries({ chainId, nonce, yParity })) {
    assertMember<Quantity>(quantitySchema, quantity, name)
  }
  assertMember(addressSchema, address, 'address')
  assertMember(wordSchema, r, 'r')
  assertMember(wordSchema, s, 's')
  const parity = BigInt(yParity)
  if (parity > 1n) throw new VerifyError('invalid_signature', 'yParity', `yParity: expected 0 or 1, got ${parity}`)
  const message = encodeRlp([bytesFromNumber(chainId), bytesFromHex(address), bytesFromNumber(nonce)])
  const hash = keccak(joinBytes([magic, message]))
  return recoverAddress({ r: BigInt(r), s: BigInt(s), yParity: parity === 0n ? 0 : 1 }, hash, false)
}
