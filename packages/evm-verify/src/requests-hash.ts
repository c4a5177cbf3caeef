import { sha256 } from '@noble/hashes/sha2.js'
import { dataSchema, type Hash, type Hex } from '@wayleave/evm-types'
import { assertMember } from './assert-member.ts'
import { bytesFromHex, hexFromBytes, joinBytes } from './bytes.ts'

/**
 * `requestsHash` of a block, from its requests: for each type, in ascending order, the byte of the type and the data of
 * all its requests. Types without data do not count. Source: EIP-7685. @throws VerifyError `malformed`
 */
export function requestsHash(requests: readonly Hex[]): Hash {
  const hashes = requests.map((request, i) => {
    assertMember(dataSchema, request, `${i}`)
    return request.length <= 4 ? new Uint8Array(0) : sha256(bytesFromHex(request))
  })
  return hexFromBytes(sha256(joinBytes(hashes)))
}
