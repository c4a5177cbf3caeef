import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { admin } from '../../api/admin.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { AreaField, CheckField, TextField } from '../../parts/field.tsx'
import { Panel } from '../../parts/page.tsx'
import { SentForm } from '../../parts/sent-form.tsx'
import { Empty } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Text } from '../../parts/text.tsx'
import { announce } from '../../parts/toast.tsx'
import { filled, useForm } from '../../parts/use-form.ts'
import { date } from '../../text/format.ts'
import { NetworksField } from './networks-field.tsx'
import type { ProjectTabProps } from './project-tab.ts'

/** What calls must bring besides a key, and where they may go. */
export function AccessTab(props: ProjectTabProps): JSX.Element {
  const { project, reason, onChanged } = props
  const form = useForm(
    {
      networks: project.networks,
      requireSecret: project.requireSecret,
      requireJwt: project.requireJwt,
      jwtAudience: project.jwtAudience ?? '',
      jwtLeewayMs: String(project.jwtLeewayMs ?? ''),
    },
    ['networks', 'jwtAudience', 'jwtLeewayMs'],
  )

  async function save(): Promise<void> {
    const { networks, requireSecret, requireJwt, jwtAudience, jwtLeewayMs } = form.values
    await admin.updateProject(project.id, {
      networks: networks ?? null,
      requireSecret,
      requireJwt,
      jwtAudience: jwtAudience.trim() === '' ? null : jwtAudience.trim(),
      jwtLeewayMs: jwtLeewayMs.trim() === '' ? null : Number(jwtLeewayMs),
    })
    announce('The access is saved.')
    await onChanged()
  }

  return (
    <>
      <Panel isForm title="Access">
        <SentForm form={form} action="Save access" reason={reason} onSend={save}>
          <NetworksField {...form.field('networks')} />
          <CheckField
            label="A key needs a secret with it"
            hint="As the password of HTTP Basic"
            {...form.field('requireSecret')}
          />
          <CheckField
            label="Only a JWT suffices"
            hint="Signed by one of the keys below"
            {...form.field('requireJwt')}
          />
          <TextField label="Audience of JWTs" hint="Empty: that of the service" {...form.field('jwtAudience')} />
          <TextField
            label="Leeway of JWTs, in ms"
            hint="By which the clocks of issuers may be wrong; empty: 60,000"
            {...form.field('jwtLeewayMs')}
          />
        </SentForm>
      </Panel>
      <JwtKeys {...props} />
    </>
  )
}

function JwtKeys({ project, reason, onChanged }: ProjectTabProps): JSX.Element {
  const [isNew, setNew] = useState(false)
  const [toRemove, setToRemove] = useState<string | undefined>()
  const full = project.jwtKeys.length >= 3 ? 'A project has at most three JWT keys' : undefined
  return (
    <Panel
      isFlush
      title="JWT keys"
      about="Public keys that verify JWTs; at most three"
      actions={
        <Button reason={reason ?? full} onClick={() => setNew(true)}>
          Add JWT key
        </Button>
      }
    >
      {project.jwtKeys.length === 0 ? (
        <Empty title="There are no JWT keys">Add the public key whose private half signs your users’ tokens.</Empty>
      ) : (
        <Table
          caption="JWT keys"
          rows={project.jwtKeys}
          keyOf={({ kid }) => kid}
          columns={[
            { name: 'Key id', render: ({ kid }) => <code>{kid}</code> },
            { name: 'Label', render: ({ label }) => (label === '' ? '–' : <Text of={label} />) },
            { name: 'Algorithm', render: ({ alg }) => alg ?? <span class="bad-text">no valid key</span> },
            {
              name: 'Fingerprint',
              isWide: true,
              render: ({ fingerprint }) => (fingerprint === undefined ? '–' : <code class="break">{fingerprint}</code>),
            },
            {
              name: 'Added',
              isExtra: true,
              render: ({ createdAt }) => (createdAt === undefined ? '–' : date(createdAt)),
            },
            {
              name: 'Actions',
              isNameless: true,
              render: ({ kid }) => (
                <Button kind="quiet" label={`Remove JWT key ${kid}`} reason={reason} onClick={() => setToRemove(kid)}>
                  Remove
                </Button>
              ),
            },
          ]}
        />
      )}
      {isNew && (
        <NewJwtKeyDialog
          project={project.id}
          onClose={() => setNew(false)}
          onAdded={() => {
            setNew(false)
            announce('The JWT key is added.')
            void onChanged()
          }}
        />
      )}
      {toRemove !== undefined && (
        <ConfirmDialog
          title="Remove this JWT key?"
          action="Remove"
          onClose={() => setToRemove(undefined)}
          onConfirm={async () => {
            await admin.removeJwtKey(project.id, toRemove)
            await onChanged()
          }}
        >
          <p>Tokens that it signed are refused from then on.</p>
        </ConfirmDialog>
      )}
    </Panel>
  )
}

function NewJwtKeyDialog(props: {
  readonly project: string
  readonly onClose: () => void
  readonly onAdded: () => void
}): JSX.Element {
  const { project, onClose, onAdded } = props
  const form = useForm({ pem: '', kid: '', label: '' })
  async function add(): Promise<void> {
    const { pem, kid, label } = form.values
    await admin.addJwtKey(project, { pem, ...filled({ kid, label }) })
    onAdded()
  }
  return (
    <Dialog title="Add JWT key" onClose={onClose} isWide>
      <SentForm form={form} action="Add JWT key" onCancel={onClose} onSend={add}>
        <AreaField
          label="Public key in PEM"
          hint="RSA of 2,048 to 8,192 bits, or EC on P-256. Never paste a private key anywhere."
          placeholder="-----BEGIN PUBLIC KEY-----"
          rows={8}
          isMono
          {...form.field('pem')}
        />
        <div class="form-row">
          <TextField label="Key id (optional)" hint="The kid of its tokens" {...form.field('kid')} isMono />
          <TextField label="Label (optional)" {...form.field('label')} />
        </div>
      </SentForm>
    </Dialog>
  )
}
