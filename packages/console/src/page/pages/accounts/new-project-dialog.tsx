import type { Project } from '@wayleave/admin-api'
import type { JSX } from 'preact'
import { admin } from '../../api/admin.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/field.tsx'
import { SentForm } from '../../parts/sent-form.tsx'
import { filled, useForm } from '../../parts/use-form.ts'
import { NetworksField } from './networks-field.tsx'
import { PlanField } from './plan-field.tsx'

export function NewProjectDialog(props: {
  readonly onClose: () => void
  readonly onCreated: (project: Project) => void
}): JSX.Element {
  const { onClose, onCreated } = props
  const form = useForm({ name: '', id: '', plan: '', networks: undefined as readonly string[] | undefined })

  async function create(): Promise<void> {
    const { name, id, plan, networks } = form.values
    const chosen = { ...filled({ id, plan }), ...(networks !== undefined && { networks }) }
    onCreated(await admin.createProject({ name: name.trim(), ...chosen }))
  }

  return (
    <Dialog title="New project" onClose={onClose}>
      <SentForm form={form} action="Create project" onCancel={onClose} onSend={create}>
        <TextField label="Name" {...form.field('name')} isRequired />
        <TextField
          label="Id (optional)"
          hint="It stands in usage and in the audit log, and never changes. Without one, it is random."
          {...form.field('id')}
          isMono
        />
        <PlanField {...form.field('plan')} />
        <NetworksField {...form.field('networks')} />
      </SentForm>
    </Dialog>
  )
}
