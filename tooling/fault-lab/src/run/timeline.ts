import { styleText } from 'node:util'
import type { Moment, Report } from './report.ts'

export interface TimelineOptions {
  /** Whether the terminal shows colours. */
  readonly colour: boolean
  /** Most lines. Default 120: those before the first violation, and a few after it. */
  readonly maxLines?: number
}

/** Lines that follow the violation. */
const after = 10

/** Prints what happened in a run up to its first violation, for a person: when, who, what. */
export function printTimeline({ moments = [], violations }: Report, options: TimelineOptions): string {
  const { colour, maxLines = 120 } = options
  const paint = (style: Parameters<typeof styleText>[0], text: string): string =>
    colour ? styleText(style, text, { validateStream: false }) : text
  const firstAt = Math.min(...violations.map(({ at }) => at))
  const until = moments.findLastIndex(({ at }) => at <= firstAt) + 1
  const from = Math.max(0, until + after - maxLines)
  const shown = moments.slice(from, until + after)
  const widest = Math.min(28, Math.max(...shown.map(({ who }) => who.length), 0))
  const lines = shown.map((moment) => {
    const time = `${(moment.at / 1_000).toFixed(3)} s`.padStart(11)
    return `${paint('dim', time)}  ${paint(styleOf(moment), moment.who.padEnd(widest))}  ${moment.text}`
  })
  const left = [
    ...(from > 0 ? [paint('dim', `    … ${from} earlier lines`)] : []),
    ...lines,
    ...(until + after < moments.length ? [paint('dim', `    … ${moments.length - until - after} later lines`)] : []),
  ]
  return `${left.join('\n')}\n`
}

/** Prints the violations of a run, and the command that replays it. */
export function printViolations({ seed, violations }: Report, command: string, colour: boolean): string {
  const bold = (text: string): string => (colour ? styleText(['red', 'bold'], text, { validateStream: false }) : text)
  const lines = violations.map(
    ({ invariant, at, text }) => `  ${bold(invariant)} at ${(at / 1_000).toFixed(3)} s: ${text}`,
  )
  return `seed ${seed} breaks ${violations.length === 1 ? 'an invariant' : `${violations.length} invariants`}:\n${lines.join('\n')}\nreplay: ${command}\n`
}

function styleOf({ who }: Moment): Parameters<typeof styleText>[0] {
  if (who === 'chain') return 'cyan'
  if (who === 'gateway') return 'yellow'
  return who.includes('#') ? 'green' : 'magenta'
}
