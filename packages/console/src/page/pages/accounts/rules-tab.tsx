import type { Project } from '@wayleave/admin-api'
import type { JSX } from 'preact'
import { admin } from '../../api/admin.ts'
import { AreaField, CheckField } from '../../parts/field.tsx'
import { Panel } from '../../parts/page.tsx'
import { SentForm } from '../../parts/sent-form.tsx'
import { announce } from '../../parts/toast.tsx'
import { useForm } from '../../parts/use-form.ts'
import type { ProjectTabProps } from './project-tab.ts'

type Rules = Project['rules']

const lists = [
  { name: 'methods', label: 'Methods', hint: 'Exact names, such as eth_call' },
  { name: 'addresses', label: 'Contract addresses', hint: '0x and hex digits; calls that take no address pass' },
  { name: 'origins', label: 'Origins', hint: 'https://app.example.com, app.example.com or https://*.example.com' },
  { name: 'userAgents', label: 'User agents', hint: 'Texts that the header has to hold' },
  { name: 'sources', label: 'Source addresses', hint: '203.0.113.7, 10.0.0.0/8 or 2001:db8::/32' },
] as const satisfies readonly { readonly name: keyof Rules; readonly label: string; readonly hint: string }[]

/** The allowlists of a project. */
export function RulesTab({ project, reason, onChanged }: ProjectTabProps): JSX.Element {
  const texts: Readonly<Record<string, string>> = Object.fromEntries(
    lists.map(({ name }) => [name, (project.rules[name] ?? []).join('\n')]),
  )
  const form = useForm(
    { texts, secretBypassesRules: project.secretBypassesRules },
    lists.map(({ name }) => `rules.${name}`),
  )

  async function save(): Promise<void> {
    const { texts: changed, secretBypassesRules } = form.values
    const entries = lists.map(({ name }) => [name, linesOf(changed[name]!)] as const)
    const rules: Rules = Object.fromEntries(entries.filter(([, lines]) => lines.length > 0))
    await admin.updateProject(project.id, { rules, secretBypassesRules })
    announce('The rules are saved.')
    await onChanged()
  }

  return (
    <Panel isForm title="Rules" about="An empty list allows everything; one entry a line">
      <SentForm form={form} action="Save rules" reason={reason} onSend={save}>
        {lists.map(({ name, label, hint }) => (
          <AreaField
            key={name}
            label={label}
            hint={hint}
            rows={Math.min(8, Math.max(2, linesOf(form.values.texts[name]!).length + 1))}
            isMono
            value={form.values.texts[name]!}
            onChange={(text) => form.set('texts', { ...form.values.texts, [name]: text })}
            error={form.at(`rules.${name}`)}
          />
        ))}
        <CheckField
          label="A call with a valid secret passes whatever the rules say"
          hint="For servers of your own beside web pages"
          {...form.field('secretBypassesRules')}
        />
      </SentForm>
    </Panel>
  )
}

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
