import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { Panel } from './page.tsx'
import { Pager, pageSize } from './pager.tsx'
import { SearchField } from './search-field.tsx'
import { Empty, Failure, Skeleton } from './states.tsx'
import type { List } from './use-list.ts'

/** A list in a panel: searched, and shown page by page. */
export function FoundPanel<T>(props: {
  readonly title: string
  readonly about?: string | undefined
  /** What the list holds, such as `key` and `keys`. */
  readonly one: string
  readonly many: string
  readonly list: List<T>
  readonly searchLabel: string
  /** Whether an item has a text, which is in lower case. */
  readonly isFound: (item: T, text: string) => boolean
  readonly actions?: ComponentChildren
  /** Stands there without any items. */
  readonly empty: ComponentChildren
  readonly table: (rows: readonly T[]) => JSX.Element
}): JSX.Element {
  const { title, one, many, list, searchLabel, isFound, actions, empty, table } = props
  const { items, error, isGrowing, isCut, reload } = list
  const [search, setSearch] = useState('')
  const [wantedPage, setPage] = useState(0)
  const text = search.trim().toLowerCase()
  const found = (items ?? []).filter((item) => isFound(item, text))
  const page = Math.min(wantedPage, Math.max(0, Math.ceil(found.length / pageSize) - 1))
  const about = [props.about, isCut && 'Only the first 20,000 are shown'].filter(Boolean).join('. ')
  function find(wanted: string): void {
    setSearch(wanted)
    setPage(0)
  }

  return (
    <>
      {error !== undefined && (
        <Failure what={`The ${many}`} error={error} onRetry={reload} isStale={items !== undefined} />
      )}
      <Panel
        isFlush
        title={title}
        about={about === '' ? undefined : about}
        actions={
          <>
            <SearchField label={searchLabel} value={search} onChange={find} />
            {actions}
          </>
        }
      >
        {items === undefined ? (
          error === undefined && <Skeleton rows={6} />
        ) : items.length === 0 ? (
          empty
        ) : found.length === 0 ? (
          <Empty title={`No ${one} matches`}>
            <Button onClick={() => find('')}>Show all</Button>
          </Empty>
        ) : (
          table(found.slice(page * pageSize, (page + 1) * pageSize))
        )}
        <Pager
          what={many}
          total={found.length}
          page={page}
          onPage={setPage}
          isGrowing={isGrowing && items !== undefined}
        />
      </Panel>
    </>
  )
}
