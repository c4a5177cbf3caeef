import { IpfsError } from '@wayleave/ipfs-http'
import type { PinLedger } from '@wayleave/ipfs-http/server'

/** Words the failures of a store for the IPFS API: 503 with the reason, where the store cannot be used now. */
export function guardPinLedger(ledger: PinLedger): PinLedger {
  const methods = Object.entries(
    ledger as unknown as Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>,
  )
  return Object.fromEntries(
    methods.map(([name, method]) => [name, (...args: unknown[]) => method(...args).catch(explain)]),
  ) as unknown as PinLedger
}

function explain(thrown: unknown): never {
  const { code, message } = (thrown ?? {}) as { readonly code?: unknown; readonly message?: string }
  if (code === 'store_gone' || code === 'store_failed') {
    throw new IpfsError('unavailable', `${message}; try again in a few seconds`, { cause: thrown })
  }
  throw thrown
}
