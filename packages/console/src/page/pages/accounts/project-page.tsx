import type { JSX } from 'preact'
import { admin } from '../../api/admin.ts'
import { Badge } from '../../parts/badge.tsx'
import { Notice } from '../../parts/notice.tsx'
import { PageHead } from '../../parts/page.tsx'
import { Failure, Skeleton } from '../../parts/states.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { hrefOf, query } from '../../router.ts'
import { lacks } from '../../session.ts'
import { visible } from '../../text/visible.ts'
import { AccessTab } from './access-tab.tsx'
import { KeyList } from './key-list.tsx'
import { KeyPage } from './key-page.tsx'
import { LimitsTab } from './limits-tab.tsx'
import type { ProjectTabProps } from './project-tab.ts'
import { RulesTab } from './rules-tab.tsx'
import { SettingsTab } from './settings-tab.tsx'
import { UsageTab } from './usage-tab.tsx'

const tabs = [
  { name: 'keys', text: 'Keys' },
  { name: 'usage', text: 'Usage' },
  { name: 'rules', text: 'Rules' },
  { name: 'limits', text: 'Limits' },
  { name: 'access', text: 'Access' },
  { name: 'settings', text: 'Settings' },
] as const

export function ProjectPage({ id }: { readonly id: string }): JSX.Element {
  const { value: project, error, reload } = useLoad((signal) => admin.project(id, signal), [id])
  const chosen = query.value.get('tab') ?? 'keys'
  const key = query.value.get('key')

  if (project === undefined) {
    return (
      <>
        <PageHead title={id} about={<Back />} />
        {error === undefined ? (
          <Skeleton rows={6} />
        ) : (
          <Failure what={`Project “${visible(id)}”`} error={error} onRetry={reload} />
        )}
      </>
    )
  }
  const isFixed = project.source === 'config'
  const reason = isFixed ? 'The configuration file has this project: change it there, and reload it' : lacks('accounts')
  const props: ProjectTabProps = { project, reason, onChanged: reload }
  if (key !== null) return <KeyPage {...props} key={key} id={key} />
  return (
    <>
      <PageHead title={visible(project.name)} about={<Back />}>
        <Badge tone={project.disabled ? 'plain' : 'ok'}>{project.disabled ? 'disabled' : 'active'}</Badge>
        <span class="tag mono">{project.id}</span>
      </PageHead>
      {isFixed && (
        <Notice kind="plain">
          This project comes from the configuration file. It is shown here, and changed there.
        </Notice>
      )}
      {project.disabled && !isFixed && (
        <Notice kind="warn">This project is disabled: all calls with its keys are refused.</Notice>
      )}
      <nav class="tabs" aria-label={`Parts of project ${visible(project.name)}`}>
        {tabs.map(({ name, text }) => (
          <a
            key={name}
            href={hrefOf('projects', { project: id, tab: name })}
            aria-current={chosen === name ? 'page' : undefined}
          >
            {text}
          </a>
        ))}
      </nav>
      <Tab name={chosen} {...props} />
    </>
  )
}

function Tab({ name, ...props }: ProjectTabProps & { readonly name: string }): JSX.Element {
  switch (name) {
    case 'usage':
      return <UsageTab project={props.project.id} />
    case 'rules':
      return <RulesTab {...props} />
    case 'limits':
      return <LimitsTab {...props} />
    case 'access':
      return <AccessTab {...props} />
    case 'settings':
      return <SettingsTab {...props} />
    default:
      return <KeyList {...props} />
  }
}

function Back(): JSX.Element {
  return <a href={hrefOf('projects')}>All projects</a>
}
