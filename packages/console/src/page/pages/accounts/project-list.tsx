import type { Project } from '@wayleave/admin-api'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { admin } from '../../api/admin.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { FoundPanel } from '../../parts/found-panel.tsx'
import { PageHead } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Text } from '../../parts/text.tsx'
import { useList } from '../../parts/use-list.ts'
import { hrefOf, navigate } from '../../router.ts'
import { lacks } from '../../session.ts'
import { date } from '../../text/format.ts'
import { AccountTabs } from './account-tabs.tsx'
import { NewProjectDialog } from './new-project-dialog.tsx'

export function ProjectList(): JSX.Element {
  const list = useList((page, signal) => admin.projects(page, signal), [])
  const [isNew, setNew] = useState(false)
  const newProject = (
    <Button kind="primary" reason={lacks('accounts')} onClick={() => setNew(true)}>
      New project
    </Button>
  )

  return (
    <>
      <PageHead title="Projects and keys" about="A project holds keys, and what they may do and cost">
        {newProject}
      </PageHead>
      <AccountTabs />
      <FoundPanel
        title="Projects"
        one="project"
        many="projects"
        list={list}
        searchLabel="Find a project"
        isFound={({ id, name }, text) => id.toLowerCase().includes(text) || name.toLowerCase().includes(text)}
        empty={
          <Empty title="There are no projects yet">
            Create one, then give it a key to call with.
            {newProject}
          </Empty>
        }
        table={(rows) => <ProjectTable rows={rows} />}
      />
      {isNew && (
        <NewProjectDialog
          onClose={() => setNew(false)}
          onCreated={({ id }) => navigate(hrefOf('projects', { project: id, new: 'key' }))}
        />
      )}
    </>
  )
}

function ProjectTable({ rows }: { readonly rows: readonly Project[] }): JSX.Element {
  return (
    <Table
      caption="Projects"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'Project',
          isWide: true,
          render: ({ id, name }) => (
            <>
              <a href={hrefOf('projects', { project: id })}>
                <Text of={name} />
              </a>
              <div class="muted small mono">{id}</div>
            </>
          ),
        },
        {
          name: 'State',
          render: ({ disabled }) => <Badge tone={disabled ? 'plain' : 'ok'}>{disabled ? 'disabled' : 'active'}</Badge>,
        },
        {
          name: 'Plan',
          render: ({ plan, limits }) =>
            plan === undefined ? (
              limits === undefined ? (
                <span class="muted">none</span>
              ) : (
                'own limits'
              )
            ) : (
              <Text of={plan} />
            ),
        },
        {
          name: 'Networks',
          render: ({ networks }) =>
            networks === undefined ? <span class="muted">all</span> : <Text of={networks.join(', ')} />,
        },
        { name: 'Rules', isExtra: true, render: (project) => <Rules of={project} /> },
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

function Rules({ of: { rules, requireSecret, requireJwt } }: { readonly of: Project }): JSX.Element {
  const names: Readonly<Record<string, string>> = {
    methods: 'methods',
    addresses: 'addresses',
    origins: 'origins',
    userAgents: 'user agents',
    sources: 'sources',
  }
  const parts = [
    ...(requireJwt ? ['JWT'] : requireSecret ? ['secret'] : []),
    ...Object.entries(rules).flatMap(([of, entries]) =>
      (entries as readonly string[]).length > 0 ? [names[of] ?? of] : [],
    ),
  ]
  return parts.length === 0 ? <span class="muted">none</span> : <>{parts.join(', ')}</>
}
