import type { CreatedKey } from '@wayleave/admin-api'
import type { JSX } from 'preact'
import { admin } from '../../api/admin.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { SelectField, TextField } from '../../parts/field.tsx'
import { SentForm } from '../../parts/sent-form.tsx'
import { filled, useForm } from '../../parts/use-form.ts'
import { fromInput } from '../../text/date-input.ts'
import { PlanField } from './plan-field.tsx'

export function NewKeyDialog(props: {
  readonly project: string
  readonly onClose: () => void
  readonly onCreated: (key: CreatedKey) => void
}): JSX.Element {
  const { project, onClose, onCreated } = props
  const form = useForm({ label: '', plan: '', expiresAt: '', form: 'wayleave' })

  async function create(): Promise<void> {
    const { label, plan, expiresAt, form: chosen } = form.values
    const end = fromInput(expiresAt)
    const key = await admin.createKey(project, {
      label: label.trim(),
      form: chosen === 'hex' ? 'hex' : 'wayleave',
      ...filled({ plan }),
      ...(end !== undefined && { expiresAt: end }),
    })
    onCreated(key)
  }

  return (
    <Dialog title="New key" onClose={onClose}>
      <SentForm form={form} action="Create key" onCancel={onClose} onSend={create}>
        <TextField label="Label" hint="Says who uses it, such as “Web, production”." {...form.field('label')} />
        <div class="form-row">
          <PlanField {...form.field('plan')} />
          <TextField label="Expires (optional)" type="datetime-local" {...form.field('expiresAt')} />
        </div>
        <SelectField
          label="Form"
          hint="Hex suits clients that expect keys of Infura’s form."
          {...form.field('form')}
          options={[
            { value: 'wayleave', text: 'wl_… with a checksum' },
            { value: 'hex', text: '32 hex digits' },
          ]}
        />
      </SentForm>
    </Dialog>
  )
}
