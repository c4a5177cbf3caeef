import type { Clock, RawJson } from '@wayleave/jsonrpc-core'

/** Returns the credits of the next pushed event. */
export type EventCharges = (event: RawJson) => number

/** Pending transactions are charged once in so many ms. */
const pendingMs = 750
const blockHash = /"blockHash"\s*:\s*"(0x[0-9a-fA-F]{64})"/
/** A block that is not sealed changes its hash with each of its parts. */
const blockNumber = /"blockNumber"\s*:\s*"(0x[0-9a-fA-F]+)"/

/** Makes the charges of one subscription: logs cost once a block, pending transactions once in 750 ms, all others each time. */
export function createEventCharges(subscription: string, price: number, clock: Clock): EventCharges {
  if (subscription === 'logs' || subscription === 'pendingLogs') {
    const name = subscription === 'logs' ? blockHash : blockNumber
    let block: string | undefined
    return (event) => {
      const found = name.exec(event.text())?.[1]
      if (found !== undefined && found === block) return 0
      block = found
      return price
    }
  }
  if (subscription === 'newPendingTransactions' || subscription === 'newFlashblockTransactions') {
    let chargedAt = Number.NEGATIVE_INFINITY
    return () => {
      const now = clock.now()
      if (now - chargedAt < pendingMs) return 0
      chargedAt = now
      return price
    }
  }
  return () => price
}
