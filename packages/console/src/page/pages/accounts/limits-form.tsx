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
  readonly draft: LimitsDraft
  readonly onChange: (draft: LimitsDraft) => void
  readonly form: Form
  /** The member that holds the limits. */
  readonly path: string
}): JSX.Element {
  const { draft, onChange, form, path } = props
  const set = (name: keyof LimitsDraft) => (value: string) => onChange({ ...draft, [name]: value })
  const at = (field: string): string | undefined => form.at(`${path}.${field}`)
  const rest = [at('rest'), at('methods'), at('perVisitor')].filter((each) => each !== undefined)
  return (
    <>
      <div class="form-row">
        <TextField
          label="Credits a second"
          hint="Empty: no limit"
          value={draft.rate}
          onChange={set('rate')}
          error={at('perSecond.credits')}
        />
        <TextField
          label="At once"
          hint="Burst; empty: as many as a second has"
          value={draft.burst}
          onChange={set('burst')}
          error={at('perSecond.burst')}
        />
      </div>
      <div class="form-row">
        <TextField
          label="Credits a day"
          hint="By UTC; empty: no limit"
          value={draft.day}
          onChange={set('day')}
          error={at('perDay')}
        />
        <SelectField
          label="When a day is spent"
          value={draft.dayAction}
          onChange={set('dayAction')}
          options={actions}
        />
      </div>
      <div class="form-row">
        <TextField
          label="Credits a month"
          hint="By UTC; empty: no limit"
          value={draft.month}
          onChange={set('month')}
          error={at('perMonth')}
        />
        <SelectField
          label="When a month is spent"
          value={draft.monthAction}
          onChange={set('monthAction')}
          options={actions}
        />
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
        value={draft.rest}
        onChange={set('rest')}
        error={rest.length === 0 ? undefined : rest.join('; ')}
      />
    </>
  )
}
