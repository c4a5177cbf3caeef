import { sha256 } from '@noble/hashes/sha2.js'
import { dataSchema, type Hash, type Hex } from '@wayleave/evm-types'
import { bytesFromHex, hexFromBytes, joinBytes } from './bytes.ts'
import { assertMember } from './transaction-members.ts'

/**
 * `requestsHash` of a block, from its requests: a byte of type and the data of all requests of that type each, in
 * ascending order. Those without data do not count. Source: EIP-7685. @throws VerifyError `malformed`
 */
export function requestsHash(requests: readonly Hex[]): Hash {
  const hashes = requests.map((request, i) => {
    assertMember(dataSchema, request, `${i}`)
    return request.length <= 4 ? new Uint8Array(0) : sha256(bytesFromHex(request))
  })
  return hexFromBytes(sha256(joinBytes(hashes)))
}
