import { type Clock, systemClock } from '@wayleave/jsonrpc-core'
import { progressLine } from './progress-line.ts'

/** A line at the bottom of a terminal that is drawn over itself. */
export interface ProgressBar {
  show(bytes: number, total: number | undefined): void
  /** Removes it, before something else is printed. */
  clear(): void
}

const firstAfterMs = 300
const everyMs = 100
const clearLine = '\r\x1b[K'

/** A bar on a terminal; one that does nothing where `stream` is none, or where it was not asked for. */
export function createProgressBar(
  stream: NodeJS.WriteStream,
  isWanted: boolean,
  clock: Pick<Clock, 'now'> = systemClock,
): ProgressBar {
  const begun = clock.now()
  // What is done at once needs no bar.
  let nextAt = begun + firstAfterMs
  let isDrawn = false
  return {
    show(bytes, total) {
      const now = clock.now()
      if (!isWanted || !stream.isTTY || now < nextAt) return
      nextAt = now + everyMs
      isDrawn = true
      stream.write(
        `${clearLine}${progressLine({ bytes, total, elapsedMs: now - begun, columns: stream.columns || 80 })}`,
      )
    },
    clear() {
      if (isDrawn) stream.write(clearLine)
      isDrawn = false
    },
  }
}
