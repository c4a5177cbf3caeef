import { styleText } from 'node:util'
import { alignCells } from '../output/align-cells.ts'
import { visible } from '../output/visible.ts'
import type { Outcome, Row } from './verify-run.ts'

const colours = { proven: 'green', consistent: 'cyan', unverifiable: 'dim', refused: 'red' } as const
/** The widest value in a terminal's table holds a whole address, the narrowest both ends of a hash. */
const widest = 42
const narrowest = 11

/** Prints one line of JSON: the verdict, its reason, and each member. A member's level is called `standing` in all output. */
export function jsonOf({ rows, ...outcome }: Outcome): string {
  const printed = rows.map(({ field, level, ...values }) => ({ field, standing: level, ...values }))
  return `${JSON.stringify({ ...outcome, rows: printed })}\n`
}

/** Prints a table for a terminal, or a line for each member for a pipe. The last line is the verdict. */
export function textOf(outcome: Outcome, stream: NodeJS.WriteStream): string {
  const rows = shownRows(outcome.rows)
  return `${stream.isTTY ? tableOf(rows, stream) : plainOf(rows)}${lastLine(outcome, stream)}\n`
}

/** Drops members of members that have the same level as their parent. */
function shownRows(rows: readonly Row[]): readonly Row[] {
  const byField = new Map(rows.map((row) => [row.field, row.level]))
  return rows.filter(({ field, level }) => {
    const dot = field.indexOf('.')
    return dot < 0 || level !== byField.get(field.slice(0, dot))
  })
}

function plainOf(rows: readonly Row[]): string {
  return rows
    .map(({ field, level = '-', claimed, recomputed = '-' }) =>
      [field, level, wordOf(claimed), recomputed].map(oneLine).join('\t'),
    )
    .map((line) => `${line}\n`)
    .join('')
}

function tableOf(rows: readonly Row[], stream: NodeJS.WriteStream): string {
  if (rows.length === 0) return ''
  const head = ['field', 'standing', 'claimed', 'recomputed']
  const fieldWidth = Math.max(...rows.map(({ field }) => oneLine(field).length))
  const room = ((stream.columns || 80) - fieldWidth - 'unverifiable'.length - 6) / 2
  const width = Math.floor(Math.min(Math.max(room, narrowest), widest))
  const cells = rows.map(({ field, level = '-', claimed, recomputed = '-' }) => [
    oneLine(field),
    level,
    shorten(oneLine(wordOf(claimed)), width),
    shorten(oneLine(recomputed), width),
  ])
  const [titles, ...lines] = alignCells(
    cells,
    head.map((title) => ({ title })),
  )
  const body = lines.map((text, i) => {
    const { level } = rows[i]!
    return level === undefined ? text : styleText(colours[level], text, { stream })
  })
  return `${[styleText('bold', titles!, { stream }), ...body].join('\n')}\n\n`
}

function lastLine({ verdict, reason, field }: Outcome, stream: NodeJS.WriteStream): string {
  const word = styleText(verdict === 'unverifiable' ? 'yellow' : colours[verdict], verdict, { stream })
  const why = field === undefined || reason.startsWith(`${field}: `) ? reason : `${field}: ${reason}`
  return `${word}: ${oneLine(why)}`
}

/** Prints a value in short: text as it is, a list by its length. */
function wordOf(value: unknown): string {
  if (value === undefined) return '-'
  if (Array.isArray(value)) return `${value.length} in a list`
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function shorten(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 9)}…${text.slice(-8)}`
}

/** Escapes a peer's text, which must neither steer a terminal nor look like another line. */
function oneLine(text: string): string {
  return visible(text).replaceAll(/[\n\t]/g, ' ')
}
