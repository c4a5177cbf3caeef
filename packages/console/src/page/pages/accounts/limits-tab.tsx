import type { JSX } from 'preact'
import { admin } from '../../api/admin.ts'
import { Panel } from '../../parts/page.tsx'
import { SentForm } from '../../parts/sent-form.tsx'
import { announce } from '../../parts/toast.tsx'
import { useForm } from '../../parts/use-form.ts'
import { draftOf, limitPlaces, limitsOf } from './limits-draft.ts'
import { LimitsForm } from './limits-form.tsx'
import { PlanField } from './plan-field.tsx'
import type { ProjectTabProps } from './project-tab.ts'

/** The plan and the own limits of a project. */
export function LimitsTab({ project, reason, onChanged }: ProjectTabProps): JSX.Element {
  const form = useForm({ plan: project.plan ?? '', limits: draftOf(project.limits) }, ['plan', ...limitPlaces])

  async function save(): Promise<void> {
    const { plan, limits } = form.values
    await admin.updateProject(project.id, { plan: plan === '' ? null : plan, limits: limitsOf(limits) ?? null })
    announce('The limits are saved.')
    await onChanged()
  }

  return (
    <Panel isForm title="Limits" about="Of all keys of this project together; a plan and own limits hold side by side">
      <SentForm form={form} action="Save limits" reason={reason} onSend={save}>
        <PlanField {...form.field('plan')} />
        <LimitsForm form={form} {...form.field('limits')} />
      </SentForm>
    </Panel>
  )
}
