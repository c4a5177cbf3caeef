import type { Clock } from '@wayleave/jsonrpc-core'
import { createUsage, type UsageRow } from '@wayleave/metering'
import { errorClass, type Log } from '@wayleave/telemetry'
import type { UsageKeeper } from '../metering/usage-keeper.ts'
import { isDoneWithin } from '../waits.ts'
import type { Channel } from './channel.ts'

/** Longest wait for the primary at the end, in ms. */
const closeMs = 5_000

/** Serves the spool of the primary to a worker: rows that are handed over are safe once the answer comes. */
export function serveUsage(channel: Channel, keeper: Pick<UsageKeeper, 'take'>): void {
  channel.serve('usage.take', (rows) => keeper.take(rows as readonly UsageRow[]))
}

/**
 * Counts the usage of a worker, and hands it to the primary's spool every second. A worker that dies loses what it counted since, as a process
 * that is alone does.
 */
export function workerUsage(
  channel: Pick<Channel, 'ask'>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): UsageKeeper {
  let added: UsageRow[] = []
  let waitingRows = 0
  let droppedCalls = 0

  async function flush(): Promise<void> {
    const rows = added
    added = []
    try {
      await channel.ask('usage.take', rows)
    } catch (why) {
      const calls = rows.reduce((sum, row) => sum + row.calls, 0)
      droppedCalls += calls
      log.repeats.error(['usage', 'dropped'], { calls, code: errorClass(why) }, 'usage found no place and is lost')
    } finally {
      waitingRows -= rows.length
    }
  }

  const usage = createUsage({
    clock,
    add(rows) {
      added.push(...rows)
      waitingRows += rows.length
    },
    flush,
  })
  return {
    usage,
    get waitingRows() {
      return waitingRows
    },
    get droppedCalls() {
      return droppedCalls
    },
    unsafeCalls: 0,
    // The primary tells that of its own.
    spoolFault: () => undefined,
    take: () => Promise.reject(new TypeError('a worker keeps no usage of others')),
    close: async () => void (await isDoneWithin(closeMs, usage.close(), clock)),
  }
}
