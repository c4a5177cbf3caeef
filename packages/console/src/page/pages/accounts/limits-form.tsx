import type { JSX } from 'preact'
import { AreaField, SelectField, TextField } from '../../parts/field.tsx'
import type { Form } from '../../parts/use-form.ts'
import type { LimitsDraft } from './limits-draft.ts'

const actions = [
  { value: 'stop', text: 'refuse further calls' },
  { value: 'warn', text: 'only warn' },
]

/** The fields of limits. Issues of the API stand at them. */
export function LimitsForm(props: {
  readonly value: LimitsDraft
  readonly onChange: (draft: LimitsDraft) => void
  readonly form: Pick<Form<never>, 'at'>
}): JSX.Element {
  const { value: draft, onChange, form } = props
  const tied = (name: Exclude<keyof LimitsDraft, 'before'>) => ({
    value: draft[name],
    onChange: (value: string) => onChange({ ...draft, [name]: value }),
  })
  const at = (place: string): string | undefined => form.at(`limits.${place}`)
  const rest = [at('rest'), at('methods'), at('perVisitor')].filter((each) => each !== undefined)
  const burstHint = 'Burst; empty: as many as a second has'
  const quotaHint = 'By UTC; empty: no limit'
  return (
    <>
      <div class="form-row">
        <TextField label="Credits a second" hint="Empty: no limit" {...tied('rate')} error={at('perSecond.credits')} />
        <TextField label="At once" hint={burstHint} {...tied('burst')} error={at('perSecond.burst')} />
      </div>
      <div class="form-row">
        <TextField label="Credits a day" hint={quotaHint} {...tied('day')} error={at('perDay')} />
        <SelectField label="When a day is spent" {...tied('dayAction')} options={actions} />
      </div>
      <div class="form-row">
        <TextField label="Credits a month" hint={quotaHint} {...tied('month')} error={at('perMonth')} />
        <SelectField label="When a month is spent" {...tied('monthAction')} options={actions} />
      </div>
      <AreaField
        label="By method and by visitor, as JSON"
        hint={
          <>
            Such as <code>{'{ "methods": { "debug_*": { "perDay": { "credits": 1000 } } } }'}</code>
          </>
        }
        rows={draft.rest === '' ? 2 : 8}
        isMono
        {...tied('rest')}
        error={rest.length === 0 ? undefined : rest.join('; ')}
      />
    </>
  )
}
