import type { Hash, Log, LogSubscriptionFilter, Receipt, TopicFilter } from '@wayleave/evm-types'
import { bytesFromHex } from './bytes.ts'
import { keccak } from './keccak.ts'

/**
 * Whether a log matches the addresses and topics of a filter; ignores its block. A place where any topic matches also
 * matches a missing topic, as in reth and anvil; geth demands as many topics as the filter has. Source: execution-apis.
 */
export function matchesFilter(log: Pick<Log, 'address' | 'topics'>, filter: LogSubscriptionFilter): boolean {
  if (!isAmong(log.address, filter.address)) return false
  return (filter.topics ?? []).every((wanted, i) => isAmong(log.topics[i], wanted))
}

/** The logs of a block's receipts that match a filter by {@link matchesFilter}, in order. */
export function logsOf(receipts: readonly Pick<Receipt, 'logs'>[], filter: LogSubscriptionFilter): Log[] {
  return receipts.flatMap(({ logs }) => logs.filter((log) => matchesFilter(log, filter)))
}

/**
 * Whether a block with this bloom filter can hold a log that matches the filter: false is certain, true is not.
 * Source: Yellow Paper, 4.3.1.
 */
export function mayHoldLogs(logsBloom: `0x${string}`, filter: LogSubscriptionFilter): boolean {
  const bloom = bytesFromHex(logsBloom)
  const mayHold = (wanted: TopicFilter | undefined): boolean => {
    const values = valuesOf(wanted)
    return values.length === 0 || values.some((value) => isInBloom(bloom, value))
  }
  // Each log sets bits, so a block with an empty bloom filter has no logs at all.
  return bloom.some((byte) => byte !== 0) && mayHold(filter.address) && (filter.topics ?? []).every(mayHold)
}

/** Tests three bits of the filter, each chosen by eleven bits of the hash. */
function isInBloom(bloom: Uint8Array, value: Hash): boolean {
  const hash = keccak(bytesFromHex(value))
  return [0, 2, 4].every((i) => {
    const bit = (hash[i]! * 256 + hash[i + 1]!) % 2048
    return (bloom[255 - (bit >> 3)]! & (1 << (bit & 7))) !== 0
  })
}

function isAmong(value: Hash | undefined, wanted: TopicFilter | undefined): boolean {
  const values = valuesOf(wanted)
  return values.length === 0 || values.some((one) => one.toLowerCase() === value?.toLowerCase())
}

/** The values to match; an empty list matches anything. */
function valuesOf(wanted: TopicFilter | undefined): readonly Hash[] {
  if (wanted === undefined || wanted === null) return []
  return typeof wanted === 'string' ? [wanted] : wanted
}
