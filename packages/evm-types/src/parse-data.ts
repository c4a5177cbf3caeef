import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { assertValid } from '@wayleave/jsonrpc-core/schema'
import { dataSchema, type Hex } from './data.ts'

/**
 * The bytes of hex data. Strict: refuses an odd count of digits.
 * @throws SchemaError
 */
export function parseData(data: string): Uint8Array {
  assertValid<Hex>(dataSchema, data, 'data')
  return hexToBytes(data.slice(2))
}

/** The data of some bytes, in lower case: the inverse of {@link parseData}. */
export function printData(bytes: Uint8Array): Hex {
  return `0x${bytesToHex(bytes)}`
}
