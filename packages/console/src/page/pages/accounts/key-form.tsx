import type { Key } from '@wayleave/admin-api'
import type { JSX } from 'preact'
import { admin } from '../../api/admin.ts'
import { TextField } from '../../parts/field.tsx'
import { Panel } from '../../parts/page.tsx'
import { SentForm } from '../../parts/sent-form.tsx'
import { announce } from '../../parts/toast.tsx'
import { useForm } from '../../parts/use-form.ts'
import { fromInput, toInput } from '../../text/date-input.ts'
import { draftOf, limitPlaces, limitsOf } from './limits-draft.ts'
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
  const form = useForm(
    { label: key.label, expiresAt: toInput(key.expiresAt), plan: key.plan ?? '', limits: draftOf(key.limits) },
    ['label', 'expiresAt', 'plan', ...limitPlaces],
  )

  async function save(): Promise<void> {
    const { label, expiresAt, plan, limits } = form.values
    // The input has no seconds: what was not touched stays as it is.
    const end = expiresAt === toInput(key.expiresAt) ? key.expiresAt : fromInput(expiresAt)
    await admin.updateKey(project, key.id, {
      label: label.trim(),
      expiresAt: end ?? null,
      plan: plan === '' ? null : plan,
      limits: limitsOf(limits) ?? null,
    })
    announce('The key is saved.')
    await onChanged()
  }

  return (
    <Panel isForm title="Settings" about="Limits of this key alone; those of its project hold as well">
      <SentForm form={form} action="Save key" reason={reason} onSend={save}>
        <TextField label="Label" {...form.field('label')} />
        <div class="form-row">
          <PlanField {...form.field('plan')} />
          <TextField label="Expires" hint="Empty: never" type="datetime-local" {...form.field('expiresAt')} />
        </div>
        <LimitsForm form={form} {...form.field('limits')} />
      </SentForm>
    </Panel>
  )
}
