import { type Clock, systemClock } from '@wayleave/jsonrpc-core'
import { progressLine } from './progress-line.ts'

/** A line at the bottom of a terminal that is redrawn in place. */
export interface ProgressBar {
  show(bytes: number, total: number | undefined): void
  /** Removes the line before something else is printed. */
  clear(): void
}

const firstAfterMs = 300
const everyMs = 100
const clearLine = '\r\x1b[K'

/** Creates a progress bar. It does nothing if `stream` is no terminal, or without `isWanted`. */
export function createProgressBar(
  stream: NodeJS.WriteStream,
  isWanted: boolean,
  clock: Pick<Clock, 'now'> = systemClock,
): ProgressBar {
  const begun = clock.now()
  // A fast transfer needs no bar.
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
