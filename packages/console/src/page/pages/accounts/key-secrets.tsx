import type { CreatedSecret, Key } from '@wayleave/admin-api'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { admin } from '../../api/admin.ts'
import { browser } from '../../defaults.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { SelectField, TextField } from '../../parts/field.tsx'
import { Panel } from '../../parts/page.tsx'
import { SentForm } from '../../parts/sent-form.tsx'
import { Empty } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Text } from '../../parts/text.tsx'
import { filled, useForm } from '../../parts/use-form.ts'
import { ago, date } from '../../text/format.ts'

interface KeySecretsProps {
  readonly project: string
  readonly of: Key
  readonly reason: string | undefined
  readonly onChanged: () => Promise<void>
  readonly onCreated: (secret: CreatedSecret) => void
}

export function KeySecrets({ project, of: key, reason, onChanged, onCreated }: KeySecretsProps): JSX.Element {
  const [isNew, setNew] = useState(false)
  const [toRemove, setToRemove] = useState<string | undefined>()
  const now = browser.now()
  return (
    <Panel
      isFlush
      title="Secrets"
      about="The password that goes with the key; two may be valid at once"
      actions={
        <Button reason={reason} onClick={() => setNew(true)}>
          New secret
        </Button>
      }
    >
      {key.secrets.length === 0 ? (
        <Empty title="This key has no secret">
          It needs one where the project asks for secrets, and for the IPFS API.
        </Empty>
      ) : (
        <Table
          caption="Secrets"
          rows={key.secrets}
          keyOf={({ id }) => id}
          columns={[
            {
              name: 'Label',
              isWide: true,
              render: ({ label, id }) => (label === '' ? <code>{id}</code> : <Text of={label} />),
            },
            { name: 'Ends in', render: ({ hint }) => <code>…{hint}</code> },
            { name: 'Expires', render: ({ expiresAt }) => (expiresAt === undefined ? 'never' : ago(expiresAt, now)) },
            { name: 'Created', isExtra: true, render: ({ createdAt }) => date(createdAt) },
            {
              name: 'Actions',
              isNameless: true,
              render: ({ id, label }) => (
                <Button
                  kind="quiet"
                  label={`Remove secret ${label === '' ? id : label}`}
                  reason={reason}
                  onClick={() => setToRemove(id)}
                >
                  Remove
                </Button>
              ),
            },
          ]}
        />
      )}
      {isNew && (
        <NewSecretDialog
          project={project}
          of={key}
          onClose={() => setNew(false)}
          onCreated={(secret) => {
            setNew(false)
            onCreated(secret)
            void onChanged()
          }}
        />
      )}
      {toRemove !== undefined && (
        <ConfirmDialog
          title="Remove this secret?"
          action="Remove secret"
          onClose={() => setToRemove(undefined)}
          onConfirm={async () => {
            await admin.removeSecret(project, key.id, toRemove)
            await onChanged()
          }}
        >
          <p>Calls that use it are refused from then on.</p>
        </ConfirmDialog>
      )}
    </Panel>
  )
}

function NewSecretDialog(props: {
  readonly project: string
  readonly of: Key
  readonly onClose: () => void
  readonly onCreated: (secret: CreatedSecret) => void
}): JSX.Element {
  const { project, of: key, onClose, onCreated } = props
  const form = useForm({ label: '', overlap: '' }, ['label'])
  async function create(): Promise<void> {
    const { label, overlap } = form.values
    const body = { ...filled({ label }), ...(overlap !== '' && { overlapSeconds: Number(overlap) }) }
    onCreated(await admin.createSecret(project, key.id, body))
  }
  return (
    <Dialog title="New secret" onClose={onClose}>
      <SentForm form={form} action="Create secret" onCancel={onClose} onSend={create}>
        <TextField label="Label (optional)" {...form.field('label')} />
        {key.secrets.length > 0 && (
          <SelectField
            label="The other secrets"
            {...form.field('overlap')}
            options={[
              { value: '', text: 'stay as they are' },
              { value: '3600', text: 'end in an hour' },
              { value: '86400', text: 'end in a day' },
              { value: '604800', text: 'end in a week' },
              { value: '0', text: 'end now' },
            ]}
          />
        )}
      </SentForm>
    </Dialog>
  )
}
