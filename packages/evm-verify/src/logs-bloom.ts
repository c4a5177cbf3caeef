import { addressSchema, hashSchema, type Hex, type Log } from '@wayleave/evm-types'
import { array, is, type Schema } from '@wayleave/jsonrpc-core/schema'
import { assertMember } from './assert-member.ts'
import { bytesFromHex, hexFromBytes } from './bytes.ts'
import { keccak } from './keccak.ts'
import { isRecord } from './refusal.ts'

// Its members are checked when they are read.
const logsSchema: Schema<readonly object[]> = array(is('a log', isRecord))
const topicsSchema = array(hashSchema)

/**
 * The bloom filter of logs, 2,048 bits: each address and topic sets three. Source: Yellow Paper §4.4.1.
 * @throws VerifyError `malformed`
 */
export function logsBloom(logs: readonly Pick<Log, 'address' | 'topics'>[]): Hex {
  return hexFromBytes(bloomOf(logs, 'logs'))
}

/** {@link logsBloom} as bytes; `field` names the logs in errors. */
export function bloomOf(logs: readonly Pick<Log, 'address' | 'topics'>[], field: string): Uint8Array {
  const bloom = new Uint8Array(256)
  const seen = new Set<string>()
  const add = (hex: Hex): void => {
    const key = hex.toLowerCase()
    if (seen.has(key)) return
    seen.add(key)
    const hash = keccak(bytesFromHex(hex))
    for (const i of [0, 2, 4]) {
      const bit = ((hash[i]! & 7) << 8) + hash[i + 1]!
      bloom[255 - (bit >> 3)]! |= 1 << (bit & 7)
    }
  }
  assertMember(logsSchema, logs, field)
  for (const [i, { address, topics }] of logs.entries()) {
    assertMember(addressSchema, address, `${field}.${i}.address`)
    assertMember(topicsSchema, topics, `${field}.${i}.topics`)
    add(address)
    for (const topic of topics) add(topic)
  }
  return bloom
}
