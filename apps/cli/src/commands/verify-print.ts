import { styleText } from 'node:util'
import { visible } from '../output/visible.ts'
import type { Outcome, Row, Standing } from './verify-run.ts'

const colours = { proven: 'green', consistent: 'cyan', unverifiable: 'dim', refused: 'red' } as const
/** Of a value in a terminal's table: an address whole, and where there is little room the ends of a hash. */
const widest = 42
const narrowest = 11
const gap = '  '

/** One line of JSON: the verdict, why, and each member. */
export function jsonOf({ rows, ...outcome }: Outcome): string {
  return `${JSON.stringify({ ...outcome, rows })}\n`
}

/** A table for a terminal, for a pipe a line for each member; the last line is the verdict. */
export function textOf(outcome: Outcome, stream: NodeJS.WriteStream): string {
  const rows = told(outcome.rows)
  return `${stream.isTTY ? tableOf(rows, stream) : plainOf(rows)}${lastLine(outcome, stream)}\n`
}

/** Members of members only where they are worth something else than what they are in. */
function told(rows: readonly Row[]): readonly Row[] {
  const byField = new Map(rows.map((row) => [row.field, row.standing]))
  return rows.filter(({ field, standing }) => {
    const dot = field.indexOf('.')
    return dot < 0 || standing !== byField.get(field.slice(0, dot))
  })
}

function plainOf(rows: readonly Row[]): string {
  return rows
    .map(({ field, standing = '-', claimed, recomputed = '-' }) =>
      [field, standing, wordOf(claimed), recomputed].map(oneLine).join('\t'),
    )
    .map((line) => `${line}\n`)
    .join('')
}

function tableOf(rows: readonly Row[], stream: NodeJS.WriteStream): string {
  if (rows.length === 0) return ''
  const head = ['field', 'standing', 'claimed', 'recomputed']
  const fieldWidth = Math.max(...rows.map(({ field }) => oneLine(field).length))
  const room = ((stream.columns || 80) - fieldWidth - 'unverifiable'.length - 3 * gap.length) / 2
  const width = Math.floor(Math.min(Math.max(room, narrowest), widest))
  const cells = rows.map(({ field, standing = '-', claimed, recomputed = '-' }) => [
    oneLine(field),
    standing,
    shorten(oneLine(wordOf(claimed)), width),
    shorten(oneLine(recomputed), width),
  ])
  const widths = head.map((title, i) => Math.max(title.length, ...cells.map((row) => row[i]!.length)))
  const line = (row: readonly string[]): string =>
    row
      .map((text, i) => text.padEnd(widths[i]!))
      .join(gap)
      .trimEnd()
  const body = cells.map((row) => {
    const standing = row[1] as Standing | '-'
    const text = line(row)
    return standing === '-' ? text : styleText(colours[standing], text, { stream })
  })
  return `${[styleText('bold', line(head), { stream }), ...body].join('\n')}\n\n`
}

function lastLine({ verdict, reason, field }: Outcome, stream: NodeJS.WriteStream): string {
  const word = styleText(verdict === 'unverifiable' ? 'yellow' : colours[verdict], verdict, { stream })
  const why = field === undefined || reason.startsWith(`${field}: `) ? reason : `${field}: ${reason}`
  return `${word}: ${oneLine(why)}`
}

/** A value as a person names it: text as it is, lists by their length. */
function wordOf(value: unknown): string {
  if (value === undefined) return '-'
  if (Array.isArray(value)) return `${value.length} in a list`
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function shorten(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 9)}…${text.slice(-8)}`
}

/** A peer's text must neither steer a terminal nor look like another line. */
function oneLine(text: string): string {
  return visible(text).replaceAll(/[\n\t]/g, ' ')
}
