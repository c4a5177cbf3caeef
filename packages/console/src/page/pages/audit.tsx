import type { AuditEntry } from '@wayleave/admin-api'
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { admin } from '../api/admin.ts'
import { asConsoleError, type ConsoleError } from '../api/console-error.ts'
import { browser } from '../defaults.ts'
import { Button } from '../parts/button.tsx'
import { PageHead, Panel } from '../parts/page.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { Text } from '../parts/text.tsx'
import { hrefOf, query, setQuery } from '../router.ts'
import { ago, dateTime } from '../text/format.ts'
import { changesOf, nameOfAction } from './audit-changes.ts'

const pageSize = 100
const mostEntries = 5_000

/** The page of the audit log. */
export function AuditPage(): JSX.Element {
  const project = query.value.get('project') ?? undefined
  return (
    <>
      <PageHead title="Audit log" about="Every change of projects, keys and plans, the newest first">
        {project !== undefined && (
          <>
            <span class="tag mono">{project}</span>
            <Button onClick={() => setQuery({ project: undefined })}>Show all projects</Button>
          </>
        )}
      </PageHead>
      <Entries key={project ?? ''} project={project} />
    </>
  )
}

function Entries({ project }: { readonly project: string | undefined }): JSX.Element {
  const [entries, setEntries] = useState<readonly AuditEntry[] | undefined>()
  const [next, setNext] = useState<string | undefined>()
  const [error, setError] = useState<ConsoleError | undefined>()
  const [search, setSearch] = useState('')

  const running = useRef(new AbortController())

  async function load(after?: string): Promise<void> {
    running.current.abort()
    const { signal } = (running.current = new AbortController())
    setError(undefined)
    try {
      const page = await admin.audit({ project, after, limit: pageSize }, signal)
      if (signal.aborted) return
      setEntries((before = []) => (after === undefined ? page.items : [...before, ...page.items]).slice(0, mostEntries))
      setNext(page.next)
    } catch (thrown) {
      if (!signal.aborted) setError(asConsoleError(thrown))
    }
  }
  useEffect(() => {
    void load()
    return () => running.current.abort()
  }, [])

  const wanted = search.trim().toLowerCase()
  const found = (entries ?? []).filter((entry) =>
    [entry.actor, entry.action, entry.id, entry.project ?? '', nameOfAction(entry.action)].some((text) =>
      text.toLowerCase().includes(wanted),
    ),
  )
  const isFull = (entries?.length ?? 0) >= mostEntries
  return (
    <>
      {error !== undefined && (
        <Failure what="The audit log" error={error} onRetry={() => load()} isStale={entries !== undefined} />
      )}
      <Panel
        isFlush
        title="Changes"
        actions={
          <>
            <SearchField label="Find in what is loaded" value={search} onChange={setSearch} />
            <Button onClick={() => load()}>Reload</Button>
          </>
        }
      >
        {entries === undefined ? (
          error === undefined && <Skeleton rows={8} />
        ) : entries.length === 0 ? (
          <Empty title="Nothing has changed yet">
            Changes by this console, the API and the command line stand here with the name of their token.
          </Empty>
        ) : found.length === 0 ? (
          <Empty title="No entry matches">
            <Button onClick={() => setSearch('')}>Show all</Button>
          </Empty>
        ) : (
          <EntryTable rows={found} />
        )}
        {next !== undefined && (
          <div class="pager">
            <span class="muted">{found.length} shown</span>
            {isFull ? (
              <span class="muted">Older ones: wayleave audit</span>
            ) : (
              <Button onClick={() => load(next)}>Load older ones</Button>
            )}
          </div>
        )}
      </Panel>
    </>
  )
}

function EntryTable({ rows }: { readonly rows: readonly AuditEntry[] }): JSX.Element {
  const now = browser.now()
  return (
    <Table
      caption="Changes"
      rows={rows}
      keyOf={({ seq }) => String(seq)}
      columns={[
        {
          name: 'Change',
          isWide: true,
          render: (entry) => (
            <>
              <div>
                {nameOfAction(entry.action)} <Subject of={entry} />
              </div>
              <Changes of={entry} />
            </>
          ),
        },
        {
          name: 'Project',
          render: ({ project }) =>
            project === undefined ? (
              '–'
            ) : (
              <a href={hrefOf('audit', { project })}>
                <Text of={project} />
              </a>
            ),
        },
        { name: 'By', render: ({ actor }) => <Text of={actor} /> },
        { name: 'When', render: ({ at }) => <time title={dateTime(at)}>{ago(at, now)}</time> },
        { name: 'Time', isExtra: true, render: ({ at }) => <span class="muted">{dateTime(at)}</span> },
      ]}
    />
  )
}

function Subject({ of: { kind, id, project, action } }: { readonly of: AuditEntry }): JSX.Element {
  const isGone = action.endsWith('.remove')
  if (kind === 'project' && !isGone)
    return (
      <a href={hrefOf('projects', { project: id })} class="mono">
        {id}
      </a>
    )
  if (kind === 'key' && project !== undefined && !isGone)
    return (
      <a href={hrefOf('projects', { project, key: id })} class="mono">
        {id}
      </a>
    )
  return <span class="mono break">{id}</span>
}

function Changes({ of: entry }: { readonly of: AuditEntry }): JSX.Element | null {
  const [isOpen, setOpen] = useState(false)
  const changes = changesOf(entry)
  if (changes.length === 0) return null
  return (
    <>
      <button type="button" class="link small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {entry.before === undefined || entry.after === undefined || changes.length > 3
          ? 'Details'
          : changes.map(({ name }) => name).join(', ')}
      </button>
      {isOpen && (
        <dl class="facts changes">
          {changes.map(({ name, before, after }) => (
            <>
              <dt>{name}</dt>
              <dd>
                {before !== undefined && (
                  <del>
                    <Text of={before} />
                  </del>
                )}{' '}
                {after !== undefined && (
                  <ins>
                    <Text of={after} />
                  </ins>
                )}
              </dd>
            </>
          ))}
        </dl>
      )}
    </>
  )
}
