import type { CreatedKey, Key } from '@wayleave/admin-api'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { admin } from '../../api/admin.ts'
import { browser } from '../../defaults.ts'
import { Button } from '../../parts/button.tsx'
import { Panel } from '../../parts/page.tsx'
import { Pager, pageSize } from '../../parts/pager.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { Empty, Failure, Skeleton } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { useList } from '../../parts/use-list.ts'
import { hrefOf, query, setQuery } from '../../router.ts'
import { ago, date } from '../../text/format.ts'
import { KeyState } from './key-state.tsx'
import { NewKeyDialog } from './new-key-dialog.tsx'
import { Named } from './named.tsx'
import type { ProjectTabProps } from './project-tab.ts'
import { SecretDialog } from './secret-dialog.tsx'

/** The keys of a project. */
export function KeyList({ project, reason }: ProjectTabProps): JSX.Element {
  const { items, error, isGrowing, isCut, reload, put } = useList(
    (page, signal) => admin.keys(project.id, page, signal),
    [project.id],
  )
  const [search, setSearch] = useState('')
  const [page, setPage] = useState(0)
  const [created, setCreated] = useState<CreatedKey | undefined>()
  const isNew = query.value.get('new') === 'key'
  const setNew = (isOpen: boolean): void => setQuery({ new: isOpen ? 'key' : undefined }, { replace: true })
  const wanted = search.trim().toLowerCase()
  const found = (items ?? []).filter(
    ({ id, label, hint }) =>
      id.toLowerCase().includes(wanted) || label.toLowerCase().includes(wanted) || hint.toLowerCase().endsWith(wanted),
  )
  const newKey = (
    <Button kind="primary" reason={reason} onClick={() => setNew(true)}>
      New key
    </Button>
  )

  return (
    <>
      {error !== undefined && <Failure what="The keys" error={error} onRetry={reload} isStale={items !== undefined} />}
      <Panel
        isFlush
        title="Keys"
        about={isCut ? 'Only the first 20,000 are shown' : undefined}
        actions={
          <>
            <SearchField
              label="Find by label, id or ending"
              value={search}
              onChange={(text) => {
                setSearch(text)
                setPage(0)
              }}
            />
            {newKey}
          </>
        }
      >
        {items === undefined ? (
          <Skeleton rows={6} />
        ) : items.length === 0 ? (
          <Empty title="This project has no key">
            A key stands in the address that an application calls. Its text is shown once, when it is created.
            {newKey}
          </Empty>
        ) : found.length === 0 ? (
          <Empty title="No key matches">
            <Button onClick={() => setSearch('')}>Show all</Button>
          </Empty>
        ) : (
          <KeyTable project={project.id} rows={found.slice(page * pageSize, (page + 1) * pageSize)} />
        )}
        <Pager
          what="keys"
          total={found.length}
          page={page}
          onPage={setPage}
          isGrowing={isGrowing && items !== undefined}
        />
      </Panel>
      {isNew && reason === undefined && (
        <NewKeyDialog
          project={project.id}
          onClose={() => setNew(false)}
          onCreated={(key) => {
            const { key: _, ...kept } = key
            put(key.id, kept)
            setCreated(key)
            setNew(false)
          }}
        />
      )}
      {created?.key !== undefined && (
        <SecretDialog
          key={created.id}
          what="key"
          text={created.key}
          label={created.label === '' ? created.id : created.label}
          onClose={() => setCreated(undefined)}
        />
      )}
    </>
  )
}

function KeyTable({ project, rows }: { readonly project: string; readonly rows: readonly Key[] }): JSX.Element {
  const now = browser.now()
  return (
    <Table
      caption="Keys"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'Key',
          isWide: true,
          render: ({ id, label }) => (
            <>
              <a href={hrefOf('projects', { project, key: id })}>
                <Named text={label} id={id} />
              </a>
              {label !== '' && <div class="muted small mono">{id}</div>}
            </>
          ),
        },
        { name: 'Ends in', render: ({ hint }) => (hint === '' ? '–' : <code>…{hint}</code>) },
        { name: 'State', render: (key) => <KeyState of={key} now={now} /> },
        {
          name: 'Limits',
          isExtra: true,
          render: ({ plan, limits }) =>
            [plan, limits && 'own limits'].filter(Boolean).join(' + ') || <span class="muted">of the project</span>,
        },
        { name: 'Secrets', isExtra: true, isNumber: true, render: ({ secrets }) => secrets.length },
        {
          name: 'Last used',
          render: ({ lastUsedAt }) =>
            lastUsedAt === undefined ? <span class="muted">never</span> : ago(lastUsedAt, now),
        },
        {
          name: 'Created',
          isExtra: true,
          render: ({ createdAt, source }) =>
            source === 'config' ? (
              <span class="tag">configuration</span>
            ) : createdAt === undefined ? (
              '–'
            ) : (
              date(createdAt)
            ),
        },
      ]}
    />
  )
}
