import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { admin } from '../../api/admin.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { AreaField, CheckField, TextField } from '../../parts/field.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Panel } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Text } from '../../parts/text.tsx'
import { tell } from '../../parts/toast.tsx'
import { useForm } from '../../parts/use-form.ts'
import { date } from '../../text/format.ts'
import { NetworksField } from './networks-field.tsx'
import type { ProjectTabProps } from './project-tab.ts'

/** What calls must bring besides a key, and where they may go. */
export function AccessTab(props: ProjectTabProps): JSX.Element {
  const { project, reason, onChanged } = props
  const [networks, setNetworks] = useState(project.networks)
  const [needsSecret, setNeedsSecret] = useState(project.requireSecret)
  const [needsJwt, setNeedsJwt] = useState(project.requireJwt)
  const [audience, setAudience] = useState(project.jwtAudience ?? '')
  const [leeway, setLeeway] = useState(String(project.jwtLeewayMs ?? ''))
  const form = useForm(['networks', 'jwtAudience', 'jwtLeewayMs'])

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    const isDone = await form.send(() =>
      admin.updateProject(project.id, {
        networks: networks ?? null,
        requireSecret: needsSecret,
        requireJwt: needsJwt,
        jwtAudience: audience.trim() === '' ? null : audience.trim(),
        jwtLeewayMs: leeway.trim() === '' ? null : Number(leeway),
      }),
    )
    if (!isDone) return
    tell('The access is saved.')
    await onChanged()
  }

  return (
    <>
      <Panel isForm title="Access">
        <form class="form" onSubmit={(event) => void submit(event)}>
          {form.fault !== undefined && <Notice kind="bad">{form.fault}</Notice>}
          <NetworksField value={networks} onChange={setNetworks} error={form.at('networks')} />
          <CheckField
            label="A key needs a secret with it"
            hint="As the password of HTTP Basic"
            isOn={needsSecret}
            onChange={setNeedsSecret}
          />
          <CheckField
            label="Only a JWT suffices"
            hint="Signed by one of the keys below"
            isOn={needsJwt}
            onChange={setNeedsJwt}
          />
          <TextField
            label="Audience of JWTs"
            hint="Empty: that of the service"
            value={audience}
            onChange={setAudience}
            error={form.at('jwtAudience')}
          />
          <TextField
            label="Leeway of JWTs, in ms"
            hint="By which the clocks of issuers may be wrong; empty: 60,000"
            value={leeway}
            onChange={setLeeway}
            error={form.at('jwtLeewayMs')}
          />
          <div class="form-foot">
            <Button kind="primary" type="submit" reason={reason} isBusy={form.isBusy}>
              Save access
            </Button>
          </div>
        </form>
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
            tell('The JWT key is added.')
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
  const [pem, setPem] = useState('')
  const [kid, setKid] = useState('')
  const [label, setLabel] = useState('')
  const form = useForm(['pem', 'kid', 'label'])
  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    const body = {
      pem,
      ...(kid.trim() !== '' && { kid: kid.trim() }),
      ...(label.trim() !== '' && { label: label.trim() }),
    }
    if (await form.send(() => admin.addJwtKey(project, body))) onAdded()
  }
  return (
    <Dialog title="Add JWT key" onClose={onClose} isWide>
      <form class="form" onSubmit={(event) => void submit(event)}>
        {form.fault !== undefined && <Notice kind="bad">{form.fault}</Notice>}
        <AreaField
          label="Public key in PEM"
          hint="RSA of 2,048 to 8,192 bits, or EC on P-256. Never paste a private key anywhere."
          placeholder="-----BEGIN PUBLIC KEY-----"
          rows={8}
          isMono
          value={pem}
          onChange={setPem}
          error={form.at('pem')}
        />
        <div class="form-row">
          <TextField
            label="Key id (optional)"
            hint="The kid of its tokens"
            value={kid}
            onChange={setKid}
            error={form.at('kid')}
            isMono
          />
          <TextField label="Label (optional)" value={label} onChange={setLabel} error={form.at('label')} />
        </div>
        <div class="form-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={form.isBusy}>
            Add JWT key
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
