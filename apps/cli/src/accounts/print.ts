import { styleText } from 'node:util'
import type { CommandIo } from '../command.ts'
import { printResult } from '../output/print-result.ts'
import { oneLine } from '../output/visible.ts'
import { isoOf } from './moments.ts'

/** A column of a list. */
export interface Column<T> {
  readonly title: string
  readonly cell: (row: T) => string
  /** Whether it is aligned to the right, as numbers are. */
  readonly right?: boolean
}

/** Prints rows: a table with `note` on a terminal, lines with tabs in a pipe. */
export function printRows<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  note: string,
  { stdout, process: { stdout: stream } }: CommandIo,
): void {
  const cells = rows.map((row) => columns.map(({ cell }) => oneLine(cell(row))))
  if (!stream.isTTY) return stdout(cells.map((row) => `${row.join('\t')}\n`).join(''))
  const [head, ...lines] = alignCells(cells, columns)
  const top = rows.length === 0 ? '' : `${styleText('bold', head!, { stream })}\n`
  stdout(`${top}${lines.map((line) => `${line}\n`).join('')}${styleText('dim', note, { stream })}\n`)
}

/** Lays out cells as lines below each other, the first one with the titles of the columns. */
export function alignCells(
  cells: readonly (readonly string[])[],
  columns: readonly Pick<Column<never>, 'title' | 'right'>[],
): readonly string[] {
  const widths = columns.map(({ title }, i) =>
    cells.reduce((most, row) => Math.max(most, row[i]!.length), title.length),
  )
  return [columns.map(({ title }) => title), ...cells].map((row) =>
    row
      .map((text, i) => (columns[i]!.right === true ? text.padStart(widths[i]!) : text.padEnd(widths[i]!)))
      .join('  ')
      .trimEnd(),
  )
}

/** Prints one record: JSON as it is, else a line for each of its members, with times for people. */
export function printRecord(record: object, json: boolean, io: CommandIo): void {
  const text = JSON.stringify(record, json ? undefined : readableTime)
  io.stdout(printResult('', text, { json, stream: io.process.stdout }))
}

function readableTime(name: string, value: unknown): unknown {
  return typeof value === 'number' && /(?:At|^at)$/.test(name) ? (isoOf(value) ?? value) : value
}

/** Prints a time of a table; `-` where there is none. */
export function timeCell(ms: number | undefined): string {
  return ms === undefined ? '-' : (isoOf(ms) ?? String(ms))
}

/** `one key`, `3 keys`. */
export function countOf(count: number, noun: string): string {
  return count === 1 ? `one ${noun}` : `${count} ${noun}s`
}
