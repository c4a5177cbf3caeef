import type { Project } from '@wayleave/admin-api'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { admin } from '../../api/admin.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/field.tsx'
import { Notice } from '../../parts/notice.tsx'
import { useForm } from '../../parts/use-form.ts'
import { NetworksField } from './networks-field.tsx'
import { PlanField } from './plan-field.tsx'

/** Creates a project. */
export function NewProjectDialog(props: {
  readonly onClose: () => void
  readonly onCreated: (project: Project) => void
}): JSX.Element {
  const { onClose, onCreated } = props
  const [name, setName] = useState('')
  const [id, setId] = useState('')
  const [plan, setPlan] = useState('')
  const [networks, setNetworks] = useState<readonly string[] | undefined>()
  const form = useForm(['name', 'id', 'plan', 'networks'])

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    await form.send(async () => {
      const created = await admin.createProject({
        name: name.trim(),
        ...(id.trim() !== '' && { id: id.trim() }),
        ...(plan !== '' && { plan }),
        ...(networks !== undefined && { networks }),
      })
      onCreated(created)
    })
  }

  return (
    <Dialog title="New project" onClose={onClose}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        {form.fault !== undefined && <Notice kind="bad">{form.fault}</Notice>}
        <TextField label="Name" value={name} onChange={setName} error={form.at('name')} isRequired />
        <TextField
          label="Id (optional)"
          hint="It stands in usage and in the audit log, and never changes. Without one, it is random."
          value={id}
          onChange={setId}
          error={form.at('id')}
          isMono
        />
        <PlanField value={plan} onChange={setPlan} error={form.at('plan')} />
        <NetworksField value={networks} onChange={setNetworks} error={form.at('networks')} />
        <div class="form-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={form.isBusy}>
            Create project
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
