import type { TableClient } from './clients/table-client.ts'
import type { Fault } from './fault.ts'
import { type Miss, runFault } from './run-fault.ts'

/** Faults that are run beside each other, so that they do not wait for each other's timeouts, nor for the processor. */
export const usuallyAtOnce = 3

/** Runs faults, a few at once; returns the promise of each one's misses, in their order. */
export function runTable(
  faults: readonly Fault[],
  clients: readonly TableClient[],
  atOnce = usuallyAtOnce,
): readonly Promise<readonly Miss[]>[] {
  const rows = faults.map((fault) => ({ fault, misses: Promise.withResolvers<readonly Miss[]>() }))
  const left = [...rows]
  async function work(): Promise<void> {
    for (let row = left.shift(); row !== undefined; row = left.shift()) {
      const { resolve, reject } = row.misses
      await runFault(row.fault, clients).then(resolve, reject)
    }
  }
  for (let i = 0; i < atOnce; i++) void work()
  return rows.map(({ misses }) => misses.promise)
}
