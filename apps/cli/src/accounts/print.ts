import { styleText } from 'node:util'
import type { CommandIo } from '../command.ts'
import { alignCells } from '../output/align-cells.ts'
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

/** Prints a time of a table; `-` where there is none. */
export function timeCell(ms: number | undefined): string {
  return ms === undefined ? '-' : (isoOf(ms) ?? String(ms))
}

/** `one key`, `3 keys`. */
export function countOf(count: number, noun: string): string {
  return count === 1 ? `one ${noun}` : `${count} ${noun}s`
}
