import type { Key } from '@wayleave/admin-api'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { admin } from '../../api/admin.ts'
import { Button } from '../../parts/button.tsx'
import { TextField } from '../../parts/field.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Panel } from '../../parts/page.tsx'
import { tell } from '../../parts/toast.tsx'
import { useForm } from '../../parts/use-form.ts'
import { fromInput, toInput } from '../../text/date-input.ts'
import { draftOf, limitFields, limitsOf } from './limits-draft.ts'
import { LimitsForm } from './limits-form.tsx'
import { PlanField } from './plan-field.tsx'

/** Changes the label, the expiry, the plan and the limits of a key. */
export function KeyForm(props: {
  readonly project: string
  readonly of: Key
  readonly reason: string | undefined
  readonly onChanged: () => Promise<void>
}): JSX.Element {
  const { project, of: key, reason, onChanged } = props
  const [label, setLabel] = useState(key.label)
  const [expires, setExpires] = useState(toInput(key.expiresAt))
  const [plan, setPlan] = useState(key.plan ?? '')
  const [draft, setDraft] = useState(draftOf(key.limits))
  const form = useForm(['label', 'expiresAt', 'plan', ...limitFields.map((field) => `limits.${field}`)])

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    // The input has no seconds: what was not touched stays as it is.
    const expiresAt = expires === toInput(key.expiresAt) ? key.expiresAt : fromInput(expires)
    const isDone = await form.send(() =>
      admin.updateKey(project, key.id, {
        label: label.trim(),
        expiresAt: expiresAt ?? null,
        plan: plan === '' ? null : plan,
        limits: limitsOf(draft, 'limits') ?? null,
      }),
    )
    if (!isDone) return
    tell('The key is saved.')
    await onChanged()
  }

  return (
    <Panel isForm title="Settings" about="Limits of this key alone; those of its project hold as well">
      <form class="form" onSubmit={(event) => void submit(event)}>
        {form.fault !== undefined && <Notice kind="bad">{form.fault}</Notice>}
        <TextField label="Label" value={label} onChange={setLabel} error={form.at('label')} />
        <div class="form-row">
          <PlanField value={plan} onChange={setPlan} error={form.at('plan')} />
          <TextField
            label="Expires"
            hint="Empty: never"
            type="datetime-local"
            value={expires}
            onChange={setExpires}
            error={form.at('expiresAt')}
          />
        </div>
        <LimitsForm draft={draft} onChange={setDraft} form={form} path="limits" />
        <div class="form-foot">
          <Button kind="primary" type="submit" reason={reason} isBusy={form.isBusy}>
            Save key
          </Button>
        </div>
      </form>
    </Panel>
  )
}
