import { alignCells } from './align-cells.ts'
import { Digits, type Exact, isRecord, leavesOf, printLeaf } from './exact-json.ts'
import { noteOf } from './note.ts'
import { oneLine } from './visible.ts'

type Row = { readonly [member: string]: Exact }

/** The most useful columns of each kind of object, which is recognised by a member. The first match counts. */
const kinds: readonly (readonly [mark: string, columns: readonly string[]])[] = [
  ['cumulativeGasUsed', ['transactionIndex', 'transactionHash', 'status', 'gasUsed', 'from', 'to', 'logs']],
  ['topics', ['blockNumber', 'logIndex', 'address', 'topics', 'data']],
  ['parentHash', ['number', 'hash', 'timestamp', 'gasUsed', 'transactions']],
  ['nonce', ['transactionIndex', 'hash', 'from', 'to', 'value']],
]

const widest = 66

interface Look {
  readonly bold: (text: string) => string
  readonly faint: (text: string) => string
}

/** Prints objects as a table: the main columns of receipts, logs, blocks and transactions, else the members of the first object. */
export function tableOf(rows: readonly Row[], { bold, faint }: Look): string {
  const columns = columnsOf(rows)
  const titles = columns.map(oneLine)
  const cells = rows.map((row) => columns.map((name) => oneLine(cellOf(name, row[name]))))
  const [head, ...lines] = alignCells(
    cells,
    titles.map((title) => ({ title })),
  )
  const note = faint(`${rows.length} in all; --json shows every member`)
  return `${bold(head!)}\n${lines.map((line) => `${line}\n`).join('')}${note}\n`
}

function columnsOf(rows: readonly Row[]): readonly string[] {
  const kind = kinds.find(([mark]) => rows.every((row) => Object.hasOwn(row, mark)))
  const names = kind?.[1] ?? Object.keys(rows[0]!)
  return names.filter((name) => rows.some((row) => Object.hasOwn(row, name)))
}

/** Prints one cell: a quantity in decimal, a list by its length, topics by the first one. */
function cellOf(name: string, value: Exact | undefined): string {
  if (value === undefined || value === null) return '-'
  if (Array.isArray(value)) return name === 'topics' ? shorten(leavesOf(value)[0]?.[1] ?? '-') : String(value.length)
  if (isRecord(value)) return '{…}'
  if (value instanceof Digits) return value.text
  const text = printLeaf(value)
  return shorten(noteOf(name, text) ?? text)
}

function shorten(text: string): string {
  return text.length > widest ? `${text.slice(0, widest - 1)}…` : text
}
