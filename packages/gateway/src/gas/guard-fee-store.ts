import { createMemoryFeeStore, type FeeStore } from '@wayleave/gas-fees'
import type { Clock } from '@wayleave/jsonrpc-core'
import type { Log } from '@wayleave/telemetry'
import { inTime } from '../waits.ts'

/** How long a caller's first question may wait for the store, in ms. */
const slowestLoadMs = 2_000
/** How long the end of the process may wait for the last save, in ms. */
const slowestSaveMs = 5_000

/**
 * Wraps a store so that it never fails: while `store` fails, or is slow to load, memory takes its place. The log tells when that begins
 * and when it is over, except where the whole store is gone, which was told already.
 */
export function guardFeeStore(store: FeeStore, clock: Clock, log: Log): FeeStore {
  const memory = createMemoryFeeStore()
  let failing = false

  function worked(): void {
    if (failing) log.info({}, 'the store of the gas fees works again')
    failing = false
  }

  function failed(why: unknown): void {
    const code = (why as { readonly code?: unknown } | undefined)?.code
    if (code === 'store_gone') return
    if (!failing) log.warn({ code }, 'the store of the gas fees fails; memory takes its place meanwhile')
    failing = true
  }

  return {
    async load(network) {
      try {
        const record = await inTime(slowestLoadMs, store.load(network), clock, late)
        worked()
        return record
      } catch (thrown) {
        failed(thrown)
        return memory.load(network)
      }
    },
    async save(network, record) {
      try {
        await inTime(slowestSaveMs, store.save(network, record), clock, late)
        worked()
      } catch (thrown) {
        failed(thrown)
        await memory.save(network, record)
      }
    },
  }
}

const late = (): Error => Object.assign(new Error('too slow'), { code: 'timeout' })
