import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Pager, pageSize } from './pager.tsx'
import { Table, type TableProps } from './table.tsx'

/** A table that shows its rows page by page. */
export function PagedTable<T>({
  what,
  ...table
}: TableProps<T> & {
  /** What the rows are, such as `methods`. */
  readonly what: string
}): JSX.Element {
  const { rows } = table
  const [wanted, setPage] = useState(0)
  const page = Math.min(wanted, Math.max(0, Math.ceil(rows.length / pageSize) - 1))
  return (
    <>
      <Table {...table} rows={rows.slice(page * pageSize, (page + 1) * pageSize)} />
      <Pager what={what} total={rows.length} page={page} onPage={setPage} />
    </>
  )
}
