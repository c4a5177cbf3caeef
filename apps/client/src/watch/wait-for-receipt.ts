import type { Hash, Receipt } from '@wayleave/evm-types'
import { RpcError, systemClock } from '@wayleave/jsonrpc-core'
import type { Client } from '../client.ts'
import { createPatience, type WatchOptions } from './patience.ts'

export interface ReceiptWaitOptions extends WatchOptions {
  /** Blocks that hold or follow the transaction. Default 1: its own. */
  readonly confirmations?: number
  /** The longest wait in ms. Default 180,000. */
  readonly timeoutMs?: number
}

/**
 * Polls for the receipt of a transaction until it is there, with as many confirmations as are wanted. A receipt of `status` `0x0` is one, too;
 * a transaction that another one replaced has none. @throws RpcError `timeout`, `aborted`
 */
export async function waitForTransactionReceipt(
  client: Pick<Client, 'eth'>,
  hash: Hash,
  options: ReceiptWaitOptions = {},
): Promise<Receipt> {
  const { confirmations = 1, timeoutMs = 180_000 } = options
  const patience = createPatience(options)
  const until = systemClock.now() + timeoutMs
  for (;;) {
    const receipt = await patience.ask(() => client.eth.getTransactionReceipt(hash))
    // Some nodes answer for a pending transaction, too.
    const height = receipt?.blockNumber ?? undefined
    if (receipt !== null && height !== undefined) {
      if (confirmations <= 1) return receipt
      const newest = await patience.ask(() => client.eth.blockNumber())
      if (BigInt(newest) - BigInt(height) + 1n >= BigInt(confirmations)) return receipt
    }
    if (systemClock.now() >= until) {
      const missing = height === undefined ? 'no receipt' : 'too few confirmations'
      throw new RpcError('timeout', `${hash}: ${missing} within ${timeoutMs} ms`)
    }
    await patience.pause()
  }
}
