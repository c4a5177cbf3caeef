import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { admin } from '../../api/admin.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { AreaField, CheckField, TextField } from '../../parts/field.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Panel } from '../../parts/page.tsx'
import { Text } from '../../parts/text.tsx'
import { tell } from '../../parts/toast.tsx'
import { invalidHere, useForm } from '../../parts/use-form.ts'
import { hrefOf, navigate } from '../../router.ts'
import type { ProjectTabProps } from './project-tab.ts'

/** The name of a project, whether it is disabled, directives, and its end. */
export function SettingsTab({ project, reason, onChanged }: ProjectTabProps): JSX.Element {
  const [name, setName] = useState(project.name)
  const [isDisabled, setDisabled] = useState(project.disabled)
  const [directives, setDirectives] = useState(
    Object.keys(project.directives).length === 0 ? '' : JSON.stringify(project.directives, null, 2),
  )
  const [isRemoving, setRemoving] = useState(false)
  const form = useForm(['name', 'directives'])

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    const isDone = await form.send(() =>
      admin.updateProject(project.id, {
        name: name.trim(),
        disabled: isDisabled,
        directives: readDirectives(directives),
      }),
    )
    if (!isDone) return
    tell('The settings are saved.')
    await onChanged()
  }

  return (
    <>
      <Panel isForm title="Settings">
        <form class="form" onSubmit={(event) => void submit(event)}>
          {form.fault !== undefined && <Notice kind="bad">{form.fault}</Notice>}
          <TextField label="Name" value={name} onChange={setName} error={form.at('name')} isRequired />
          <CheckField
            label="Disabled"
            hint="All calls with its keys are refused"
            isOn={isDisabled}
            onChange={setDisabled}
          />
          <AreaField
            label="Directives, as JSON"
            hint={
              <>
                Defaults of the headers that its calls may carry, such as <code>{'{ "skip-cache": "true" }'}</code>
              </>
            }
            rows={3}
            isMono
            value={directives}
            onChange={setDirectives}
            error={form.at('directives')}
          />
          <div class="form-foot">
            <Button kind="primary" type="submit" reason={reason} isBusy={form.isBusy}>
              Save settings
            </Button>
          </div>
        </form>
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
            tell(`Project ${project.id} is removed.`)
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
