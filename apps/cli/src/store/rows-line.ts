import { type Clock, systemClock } from '@wayleave/jsonrpc-core'
import type { CommandIo } from '../command.ts'

/** Progress in rows: a line that is redrawn in place on a terminal, a line for each tenth in a pipe. */
interface RowsLine {
  show(step: 'copy' | 'compare', rows: number, total: number): void
  /** Removes the line of a terminal before something else is printed. */
  clear(): void
}

const everyMs = 100
const clearLine = '\r\x1b[K'
const words = { copy: 'copied', compare: 'compared' } as const

/** Creates the line; without `isWanted` it does nothing. */
export function createRowsLine(
  { stderr: write, process: { stderr: stream } }: Pick<CommandIo, 'stderr' | 'process'>,
  isWanted: boolean,
  clock: Pick<Clock, 'now'> = systemClock,
): RowsLine {
  let nextAt = clock.now() + everyMs
  let isDrawn = false
  let last = ''
  return {
    show(step, rows, total) {
      if (!isWanted) return
      const tenth = total === 0 ? 10 : Math.floor((10 * rows) / total)
      const text = `${words[step]} ${rows.toLocaleString('en')} of ${total.toLocaleString('en')} rows`
      if (!stream.isTTY) {
        if (tenth > 0 && last !== `${step} ${tenth}`) write(`${text}\n`)
        last = `${step} ${tenth}`
        return
      }
      if (clock.now() < nextAt) return
      nextAt = clock.now() + everyMs
      isDrawn = true
      write(`${clearLine}${text.slice(0, Math.max(0, (stream.columns || 80) - 1))}`)
    },
    clear() {
      if (isDrawn) write(clearLine)
      isDrawn = false
    },
  }
}
