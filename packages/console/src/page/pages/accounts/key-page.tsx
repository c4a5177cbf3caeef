import type { CreatedSecret, Key, RotatedKey } from '@wayleave/admin-api'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { admin } from '../../api/admin.ts'
import { ask, at } from '../../api/ask.ts'
import { browser } from '../../defaults.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { PageHead, Panel } from '../../parts/page.tsx'
import { Failure, Skeleton } from '../../parts/states.tsx'
import { Text } from '../../parts/text.tsx'
import { announce, reportFailure } from '../../parts/toast.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { hrefOf, navigate } from '../../router.ts'
import { ago, dateTime } from '../../text/format.ts'
import { visible } from '../../text/visible.ts'
import { KeyForm } from './key-form.tsx'
import { KeySecrets } from './key-secrets.tsx'
import { KeyState } from './key-state.tsx'
import type { ProjectTabProps } from './project-tab.ts'
import { RotateDialog } from './rotate-dialog.tsx'
import { SecretDialog } from './secret-dialog.tsx'
import { UsageTab } from './usage-tab.tsx'

type Open = 'rotate' | 'revoke' | undefined

export function KeyPage({ project, reason, id }: ProjectTabProps & { readonly id: string }): JSX.Element {
  const load = (signal: AbortSignal): Promise<Key> =>
    ask('GET', at`/admin/v1/projects/${project.id}/keys/${id}`, { signal })
  const { value: key, error, reload } = useLoad(load, [id])
  const [open, setOpen] = useState<Open>()
  const [shown, setShown] = useState<
    { readonly what: 'key' | 'secret'; readonly text: string; readonly to?: string } | undefined
  >()
  const back = <a href={hrefOf('projects', { project: project.id })}>Keys of {visible(project.name)}</a>

  if (key === undefined) {
    return (
      <>
        <PageHead title={id} about={back} />
        {error === undefined ? (
          <Skeleton rows={6} />
        ) : (
          <Failure what={`Key “${visible(id)}”`} error={error} onRetry={reload} />
        )}
      </>
    )
  }

  async function setDisabled(disabled: boolean): Promise<void> {
    try {
      await admin.updateKey(project.id, id, { disabled })
      announce(disabled ? 'The key is disabled.' : 'The key works again.', () => void setDisabled(!disabled))
    } catch (thrown) {
      reportFailure('The key could not be changed', thrown)
    }
    await reload()
  }

  function rotated({ created }: RotatedKey): void {
    setOpen(undefined)
    if (created.key !== undefined) setShown({ what: 'key', text: created.key, to: created.id })
    void reload()
  }

  const title = key.label === '' ? key.id : visible(key.label)
  const now = browser.now()
  return (
    <>
      <PageHead title={title} about={back}>
        <Button reason={reason} onClick={() => setOpen('rotate')}>
          Rotate
        </Button>
        <Button reason={reason} onClick={() => setDisabled(!key.disabled)}>
          {key.disabled ? 'Enable' : 'Disable'}
        </Button>
        <Button kind="danger" reason={reason} onClick={() => setOpen('revoke')}>
          Revoke
        </Button>
      </PageHead>
      <Panel title="Key">
        <dl class="facts">
          <dt>State</dt>
          <dd>
            <KeyState of={key} now={now} />
          </dd>
          <dt>Id</dt>
          <dd class="mono">{key.id}</dd>
          <dt>Ends in</dt>
          <dd class="mono">{key.hint === '' ? 'not known' : `…${key.hint}`}</dd>
          <dt>Created</dt>
          <dd>{key.createdAt === undefined ? 'in the configuration' : dateTime(key.createdAt)}</dd>
          <dt>Last used</dt>
          <dd>
            {key.lastUsedAt === undefined
              ? 'never, or not noted yet'
              : `${ago(key.lastUsedAt, now)} (${dateTime(key.lastUsedAt)})`}
          </dd>
          {key.expiresAt !== undefined && (
            <>
              <dt>Expires</dt>
              <dd>{dateTime(key.expiresAt)}</dd>
            </>
          )}
        </dl>
      </Panel>
      <UsageTab project={project.id} keyId={key.id} />
      <KeyForm project={project.id} of={key} reason={reason} onChanged={reload} />
      <KeySecrets
        project={project.id}
        of={key}
        reason={reason}
        onChanged={reload}
        onCreated={({ secret }: CreatedSecret) => setShown({ what: 'secret', text: secret })}
      />
      {open === 'rotate' && (
        <RotateDialog project={project.id} of={key} onClose={() => setOpen(undefined)} onRotated={rotated} />
      )}
      {open === 'revoke' && (
        <ConfirmDialog
          title="Revoke this key?"
          action="Revoke key"
          typed={key.id}
          onClose={() => setOpen(undefined)}
          onConfirm={async () => {
            await admin.revokeKey(project.id, key.id)
            announce(`The key ${title} is revoked.`)
            navigate(hrefOf('projects', { project: project.id }))
          }}
        >
          <p>
            Every call with “<Text of={title} />” is refused from then on, for good. To replace it without a gap, rotate
            it instead.
          </p>
        </ConfirmDialog>
      )}
      {shown !== undefined && (
        <SecretDialog
          key={shown.text}
          what={shown.what}
          text={shown.text}
          label={title}
          onClose={() => {
            setShown(undefined)
            if (shown.to !== undefined) navigate(hrefOf('projects', { project: project.id, key: shown.to }))
          }}
        />
      )}
    </>
  )
}
