import type { CreatedKey, Key } from '@wayleave/admin-api'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { admin } from '../../api/admin.ts'
import { browser } from '../../defaults.ts'
import { Button } from '../../parts/button.tsx'
import { FoundPanel } from '../../parts/found-panel.tsx'
import { Empty } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { useList } from '../../parts/use-list.ts'
import { hrefOf, query, setQuery } from '../../router.ts'
import { ago, date } from '../../text/format.ts'
import { KeyState } from './key-state.tsx'
import { NewKeyDialog } from './new-key-dialog.tsx'
import { Named } from './named.tsx'
import type { ProjectTabProps } from './project-tab.ts'
import { SecretDialog } from './secret-dialog.tsx'

export function KeyList({ project, reason }: ProjectTabProps): JSX.Element {
  const list = useList((page, signal) => admin.keys(project.id, page, signal), [project.id])
  const [created, setCreated] = useState<CreatedKey | undefined>()
  const isNew = query.value.get('new') === 'key'
  const setNew = (isOpen: boolean): void => setQuery({ new: isOpen ? 'key' : undefined }, { replace: true })
  const newKey = (
    <Button kind="primary" reason={reason} onClick={() => setNew(true)}>
      New key
    </Button>
  )

  return (
    <>
      <FoundPanel
        title="Keys"
        one="key"
        many="keys"
        list={list}
        searchLabel="Find by label, id or ending"
        isFound={({ id, label, hint }, text) =>
          id.toLowerCase().includes(text) || label.toLowerCase().includes(text) || hint.toLowerCase().endsWith(text)
        }
        actions={newKey}
        empty={
          <Empty title="This project has no key">
            A key stands in the address that an application calls. Its text is shown once, when it is created.
            {newKey}
          </Empty>
        }
        table={(rows) => <KeyTable project={project.id} rows={rows} />}
      />
      {isNew && reason === undefined && (
        <NewKeyDialog
          project={project.id}
          onClose={() => setNew(false)}
          onCreated={(key) => {
            const { key: _, ...kept } = key
            list.put(key.id, kept)
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
