import { styleText } from 'node:util'
import type { CommandIo } from '../command.ts'
import { frameOf, type Sorting, sortings } from './frame.ts'
import type { Overview } from './overview.ts'

/** The whole terminal, with the overview in it. */
export interface Screen {
  show(overview: Overview): void
  /** Tells in the last line why the overview is old. */
  warn(text: string | undefined): void
  /** Gives the terminal back as it was. May be called again. */
  close(): void
}

const enter = '\u001B[?1049h\u001B[?25l\u001B[?7l'
const leave = '\u001B[?7h\u001B[?25h\u001B[?1049l'
const home = '\u001B[H'
const clearLine = '\u001B[K'
const clearBelow = '\u001B[J'

/** Takes the terminal. `onQuit` is called for `q` and Ctrl-C, which come as keys now. */
export function openScreen({ process }: CommandIo, onQuit: () => void): Screen {
  const { stdin, stdout } = process
  let overview: Overview | undefined
  let warning: string | undefined
  let sorting: Sorting = 'name'
  let scrolled = 0
  let isClosed = false

  function draw(): void {
    if (isClosed) return
    const height = Math.max(stdout.rows || 24, 4)
    const lines = overview === undefined ? ['waiting for the gateway'] : frameOf(overview, sorting, stdout)
    const body = height - 1
    scrolled = Math.max(0, Math.min(scrolled, lines.length - body))
    const keys = styleText('dim', `q quit  ↑↓ scroll  s sort: ${sorting}`, { stream: stdout })
    const last = warning === undefined ? keys : styleText('red', warning, { stream: stdout })
    const shown = lines.slice(scrolled, scrolled + body)
    stdout.write(
      `${home}${shown.map((line) => `${line}${clearLine}\r\n`).join('')}${clearBelow}\u001B[${height};1H${last}${clearLine}`,
    )
  }

  function onKey(data: Buffer | string): void {
    const key = String(data)
    if (key === 'q' || key === '\u0003' || key === '\u0004') return onQuit()
    if (key === 's') sorting = sortings[(sortings.indexOf(sorting) + 1) % sortings.length]!
    else if (key === '\u001B[A' || key === 'k') scrolled--
    else if (key === '\u001B[B' || key === 'j') scrolled++
    else return
    draw()
  }

  function close(): void {
    if (isClosed) return
    isClosed = true
    stdout.off('resize', draw)
    process.off('exit', close)
    stdout.write(leave)
    if (!stdin.isTTY) return
    stdin.off('data', onKey)
    stdin.setRawMode(false)
    stdin.pause()
  }

  stdout.write(enter)
  stdout.on('resize', draw)
  // An error that nobody catches must not leave the terminal like this.
  process.once('exit', close)
  if (stdin.isTTY) {
    stdin.setRawMode(true)
    stdin.on('data', onKey)
    stdin.resume()
  }
  draw()
  return {
    show(next) {
      overview = next
      warning = undefined
      draw()
    },
    warn(text) {
      warning = text
      draw()
    },
    close,
  }
}
