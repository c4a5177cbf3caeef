import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { admin } from '../../api/admin.ts'
import { Button } from '../../parts/button.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Panel } from '../../parts/page.tsx'
import { tell } from '../../parts/toast.tsx'
import { useForm } from '../../parts/use-form.ts'
import { draftOf, limitFields, limitsOf } from './limits-draft.ts'
import { LimitsForm } from './limits-form.tsx'
import { PlanField } from './plan-field.tsx'
import type { ProjectTabProps } from './project-tab.ts'

/** The plan and the own limits of a project. */
export function LimitsTab({ project, reason, onChanged }: ProjectTabProps): JSX.Element {
  const [plan, setPlan] = useState(project.plan ?? '')
  const [draft, setDraft] = useState(draftOf(project.limits))
  const form = useForm(['plan', ...limitFields.map((field) => `limits.${field}`)])

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    const isDone = await form.send(() =>
      admin.updateProject(project.id, { plan: plan === '' ? null : plan, limits: limitsOf(draft, 'limits') ?? null }),
    )
    if (!isDone) return
    tell('The limits are saved.')
    await onChanged()
  }

  return (
    <Panel isForm title="Limits" about="Of all keys of this project together; a plan and own limits hold side by side">
      <form class="form" onSubmit={(event) => void submit(event)}>
        {form.fault !== undefined && <Notice kind="bad">{form.fault}</Notice>}
        <PlanField value={plan} onChange={setPlan} error={form.at('plan')} />
        <LimitsForm draft={draft} onChange={setDraft} form={form} path="limits" />
        <div class="form-foot">
          <Button kind="primary" type="submit" reason={reason} isBusy={form.isBusy}>
            Save limits
          </Button>
        </div>
      </form>
    </Panel>
  )
}
