import type { SuggestedGasFees } from '@wayleave/gas-fees'
import { systemClock } from '@wayleave/jsonrpc-core'
import { styleText } from 'node:util'
import { gasTable, type Level } from './gas-table.ts'

/** A table in a terminal that is redrawn in place. */
export interface GasScreen {
  show(fees: SuggestedGasFees): void
  /** Leaves the last table where it is, and the cursor below it. */
  close(): void
}

const hideCursor = '\x1b[?25l'
const showCursor = '\x1b[?25h'
/** Long lines are cut: a wrapped line would make the count of lines to move up too small. */
const cutLines = '\x1b[?7l'
const wrapLines = '\x1b[?7h'
const clearLine = '\x1b[K'

/** Creates a screen. `history` holds the base fees of earlier blocks, oldest first. */
export function createGasScreen(
  stream: NodeJS.WriteStream,
  history: readonly string[],
  shown: readonly Level[],
): GasScreen {
  let baseFees = history
  let fees: SuggestedGasFees | undefined
  let shownAt = 0
  let height = 0
  let stopTimer = (): void => {}
  stream.write(hideCursor)

  function draw(): void {
    stopTimer()
    if (fees === undefined) return
    const seconds = Math.round((systemClock.now() - shownAt) / 1_000)
    const age = styleText('dim', `  ${seconds === 0 ? 'now' : `${seconds} s ago`}; Ctrl-C stops it`, { stream })
    const lines = [...gasTable({ fees, baseFees, shown, stream }), '', age]
    const up = height === 0 ? '' : `\x1b[${height}A`
    stream.write(`${up}\r${cutLines}${lines.map((line) => `${line}${clearLine}\n`).join('')}${wrapLines}`)
    height = lines.length
    stopTimer = systemClock.after(1_000, draw)
  }

  return {
    show(newest) {
      fees = newest
      shownAt = systemClock.now()
      baseFees = [...baseFees.slice(-500), newest.estimatedBaseFee]
      draw()
    },
    close() {
      stopTimer()
      stream.write(showCursor)
    },
  }
}
