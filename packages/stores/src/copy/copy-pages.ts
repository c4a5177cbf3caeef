import { createHash } from 'node:crypto'
import type { CopyPlace, CopyRow } from './copy-place.ts'
import type { StoreTable } from './store-tables.ts'

/** The content of a table, such that equal contents have equal summaries in both databases. */
export interface TableSummary {
  readonly table: string
  readonly rows: number
  /** Sums of columns of numbers, in decimal. */
  readonly sums: Readonly<Record<string, string>>
  /** The SHA-256 of all rows, added up modulo 2^256: databases sort texts differently. Hex. */
  readonly digest: string
}

/** Reads the rows behind a key; undefined: from the first one on. */
export function pageOf(
  { query }: CopyPlace,
  { name, key }: StoreTable,
  after: readonly (string | number)[] | undefined,
  limit: number,
): Promise<readonly CopyRow[]> {
  if (key.length === 0) return after === undefined ? query(`select * from ${name}`) : Promise.resolve([])
  const columns = key.map((column) => `"${column}"`).join(', ')
  const behind = after === undefined ? '' : `where (${columns}) > (${key.map(() => '?').join(', ')})`
  return query(`select * from ${name} ${behind} order by ${columns} limit ${limit}`, after)
}

/** Reads a whole table, page by page. */
export async function summaryOf(
  place: CopyPlace,
  table: StoreTable,
  limit: number,
  onRows: (rows: number) => void,
): Promise<TableSummary> {
  const sums = (table.sums ?? []).map((column) => ({ column, sum: 0n }))
  let digest = 0n
  let count = 0
  let after: readonly (string | number)[] | undefined
  for (;;) {
    const rows = await pageOf(place, table, after, limit)
    const columns = Object.keys(rows[0] ?? {}).toSorted()
    for (const row of rows) {
      digest += BigInt(`0x${digestOf(columns, row)}`)
      for (const each of sums) each.sum += BigInt(row[each.column] as string)
    }
    digest = BigInt.asUintN(256, digest)
    count += rows.length
    onRows(rows.length)
    if (rows.length < limit || table.key.length === 0) break
    after = table.key.map((column) => rows.at(-1)![column] as string | number)
  }
  return {
    table: table.name,
    rows: count,
    sums: Object.fromEntries(sums.map(({ column, sum }) => [column, String(sum)])),
    digest: digest.toString(16).padStart(64, '0'),
  }
}

function digestOf(columns: readonly string[], row: CopyRow): string {
  const text = JSON.stringify(columns.map((column) => row[column]))
  return createHash('sha256').update(text).digest('hex')
}
