import type { CreatedKey } from '@wayleave/admin-api'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { admin } from '../../api/admin.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { SelectField, TextField } from '../../parts/field.tsx'
import { Notice } from '../../parts/notice.tsx'
import { useForm } from '../../parts/use-form.ts'
import { fromInput } from '../../text/date-input.ts'
import { PlanField } from './plan-field.tsx'

/** Creates a key. */
export function NewKeyDialog(props: {
  readonly project: string
  readonly onClose: () => void
  readonly onCreated: (key: CreatedKey) => void
}): JSX.Element {
  const { project, onClose, onCreated } = props
  const [label, setLabel] = useState('')
  const [plan, setPlan] = useState('')
  const [expires, setExpires] = useState('')
  const [form, setForm] = useState('wayleave')
  const sent = useForm(['label', 'plan', 'expiresAt', 'form'])

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    await sent.send(async () => {
      const expiresAt = fromInput(expires)
      const key = await admin.createKey(project, {
        label: label.trim(),
        form: form === 'hex' ? 'hex' : 'wayleave',
        ...(plan !== '' && { plan }),
        ...(expiresAt !== undefined && { expiresAt }),
      })
      onCreated(key)
    })
  }

  return (
    <Dialog title="New key" onClose={onClose}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        {sent.fault !== undefined && <Notice kind="bad">{sent.fault}</Notice>}
        <TextField
          label="Label"
          hint="Says who uses it, such as “Web, production”."
          value={label}
          onChange={setLabel}
          error={sent.at('label')}
        />
        <div class="form-row">
          <PlanField value={plan} onChange={setPlan} error={sent.at('plan')} />
          <TextField
            label="Expires (optional)"
            type="datetime-local"
            value={expires}
            onChange={setExpires}
            error={sent.at('expiresAt')}
          />
        </div>
        <SelectField
          label="Form"
          hint="Hex suits clients that expect keys of Infura’s form."
          value={form}
          onChange={setForm}
          options={[
            { value: 'wayleave', text: 'wl_… with a checksum' },
            { value: 'hex', text: '32 hex digits' },
          ]}
        />
        <div class="form-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={sent.isBusy}>
            Create key
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
