import type { JSX } from 'preact'
import { count } from '../text/format.ts'
import { Button } from './button.tsx'

export const pageSize = 50

/** Turns the pages of a long list. */
export function Pager(props: {
  readonly what: string
  readonly total: number
  /** From 0 on. */
  readonly page: number
  readonly onPage: (page: number) => void
  readonly isGrowing?: boolean
}): JSX.Element | null {
  const { what, total, page, onPage, isGrowing = false } = props
  if (total <= pageSize && !isGrowing) return null
  const last = Math.max(0, Math.ceil(total / pageSize) - 1)
  return (
    <nav class="pager" aria-label={`Pages of ${what}`}>
      <span class="muted" role="status">
        {total === 0 ? '0' : `${count(page * pageSize + 1)}–${count(Math.min(total, (page + 1) * pageSize))}`} of{' '}
        {count(total)}
        {isGrowing && ', loading more…'}
      </span>
      <Button
        label={`First page of ${what}`}
        reason={page === 0 ? 'This is the first page' : undefined}
        onClick={() => onPage(0)}
      >
        First
      </Button>
      <Button
        label={`Previous page of ${what}`}
        reason={page === 0 ? 'This is the first page' : undefined}
        onClick={() => onPage(page - 1)}
      >
        Previous
      </Button>
      <Button
        label={`Next page of ${what}`}
        reason={page >= last ? 'This is the last page' : undefined}
        onClick={() => onPage(page + 1)}
      >
        Next
      </Button>
    </nav>
  )
}
