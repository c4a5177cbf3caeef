import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { admin } from '../../api/admin.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { AreaField, CheckField, TextField } from '../../parts/field.tsx'
import { Panel } from '../../parts/page.tsx'
import { SentForm } from '../../parts/sent-form.tsx'
import { Text } from '../../parts/text.tsx'
import { announce } from '../../parts/toast.tsx'
import { invalidHere, useForm } from '../../parts/use-form.ts'
import { hrefOf, navigate } from '../../router.ts'
import type { ProjectTabProps } from './project-tab.ts'

/** The name of a project, whether it is disabled, directives, and its end. */
export function SettingsTab({ project, reason, onChanged }: ProjectTabProps): JSX.Element {
  const [isRemoving, setRemoving] = useState(false)
  const directives = Object.keys(project.directives).length === 0 ? '' : JSON.stringify(project.directives, null, 2)
  const form = useForm({ name: project.name, disabled: project.disabled, directives }, ['name', 'directives'])

  async function save(): Promise<void> {
    const { name, disabled, directives: text } = form.values
    await admin.updateProject(project.id, { name: name.trim(), disabled, directives: readDirectives(text) })
    announce('The settings are saved.')
    await onChanged()
  }

  return (
    <>
      <Panel isForm title="Settings">
        <SentForm form={form} action="Save settings" reason={reason} onSend={save}>
          <TextField label="Name" {...form.field('name')} isRequired />
          <CheckField label="Disabled" hint="All calls with its keys are refused" {...form.field('disabled')} />
          <AreaField
            label="Directives, as JSON"
            hint={
              <>
                Defaults of the headers that its calls may carry, such as <code>{'{ "skip-cache": "true" }'}</code>
              </>
            }
            rows={3}
            isMono
            {...form.field('directives')}
          />
        </SentForm>
      </Panel>
      <Panel isForm title="Remove this project" about="Its keys go with it, and its id is not given again">
        <Button kind="danger" reason={reason} onClick={() => setRemoving(true)}>
          Remove project
        </Button>
      </Panel>
      {isRemoving && (
        <ConfirmDialog
          title={`Remove project ${project.id}?`}
          action="Remove project"
          typed={project.id}
          onClose={() => setRemoving(false)}
          onConfirm={async () => {
            await admin.removeProject(project.id)
            announce(`Project ${project.id} is removed.`)
            navigate(hrefOf('projects'))
          }}
        >
          <p>
            All keys of “<Text of={project.name} />” stop working at once, for good. Usage and the audit log keep what
            was.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}

function readDirectives(text: string): Readonly<Record<string, string>> {
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text) as Readonly<Record<string, string>>
  } catch (thrown) {
    throw invalidHere({ path: 'directives', message: `no JSON: ${(thrown as Error).message}` })
  }
}
