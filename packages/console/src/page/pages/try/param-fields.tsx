import type { JSX } from 'preact'
import { useId } from 'preact/hooks'
import { AreaField, Field, SelectField } from '../../parts/field.tsx'
import type { Draft, FieldSpec, ObjectField, OpenRpc, RpcMethod } from './open-rpc.ts'
import { fieldOf } from './open-rpc.ts'

/** Fields that people want most often; the others stand behind a fold. */
const common = new Set([
  'to',
  'from',
  'data',
  'value',
  'address',
  'topics',
  'fromBlock',
  'toBlock',
  'blockHash',
  'contract_address',
  'entry_point_selector',
  'calldata',
])

/** The fields of a method's params. */
export function ParamFields(props: {
  readonly method: RpcMethod
  readonly document: OpenRpc
  readonly drafts: Readonly<Record<string, Draft>>
  readonly onChange: (drafts: Readonly<Record<string, Draft>>) => void
}): JSX.Element {
  const { method, document, drafts, onChange } = props
  if (method.params.length === 0) return <p class="muted">This method takes no params.</p>
  return (
    <>
      {method.params.map(({ name, schema, required = false }) => (
        <ParamField
          key={name}
          name={name}
          isRequired={required}
          spec={fieldOf(schema, document)}
          draft={drafts[name]}
          onChange={(draft) => onChange({ ...drafts, [name]: draft })}
        />
      ))}
    </>
  )
}

function ParamField(props: {
  readonly name: string
  readonly isRequired: boolean
  readonly spec: FieldSpec
  readonly draft: Draft | undefined
  readonly onChange: (draft: Draft) => void
}): JSX.Element {
  const { name, isRequired, spec, draft, onChange } = props
  if (spec.kind !== 'object') {
    return (
      <PlainField
        name={name}
        isRequired={isRequired}
        spec={spec}
        value={typeof draft === 'string' ? draft : ''}
        onChange={onChange}
      />
    )
  }
  const texts = typeof draft === 'object' ? draft : {}
  const isShown = ({ name: own, isRequired: must }: ObjectField): boolean =>
    must || common.has(own) || (texts[own] ?? '') !== ''
  const inner = (fields: readonly ObjectField[]): JSX.Element[] =>
    fields.map((field) => (
      <PlainField
        key={field.name}
        name={field.name}
        isRequired={field.isRequired}
        spec={field.spec}
        value={texts[field.name] ?? ''}
        onChange={(text) => onChange({ ...texts, [field.name]: text })}
      />
    ))
  const [shown, folded] = [spec.fields.filter(isShown), spec.fields.filter((field) => !isShown(field))]
  return (
    <fieldset class="object">
      <legend>{label(name, isRequired)}</legend>
      {spec.hint !== '' && <p class="field-hint">{spec.hint}</p>}
      {inner(shown)}
      {folded.length > 0 && (
        <details class="help">
          <summary>{shown.length === 0 ? `${folded.length} fields` : `${folded.length} more fields`}</summary>
          <div class="form">{inner(folded)}</div>
        </details>
      )}
    </fieldset>
  )
}

function PlainField(props: {
  readonly name: string
  readonly isRequired: boolean
  readonly spec: FieldSpec
  readonly value: string
  readonly onChange: (value: string) => void
}): JSX.Element {
  const { name, isRequired, spec, value, onChange } = props
  const list = useId()
  const field = { label: label(name, isRequired), hint: spec.hint === '' ? undefined : spec.hint, value, onChange }
  switch (spec.kind) {
    case 'choice':
    case 'boolean': {
      const choices = 'choices' in spec ? spec.choices : ['true', 'false']
      return (
        <SelectField
          {...field}
          options={[
            { value: '', text: isRequired ? 'choose' : 'not sent' },
            ...choices.map((each) => ({ value: each, text: each })),
          ]}
        />
      )
    }
    case 'json':
    case 'object':
      return <AreaField {...field} rows={2} isMono placeholder="JSON" />
    default:
      return (
        <Field {...field}>
          {(control) => (
            <>
              <input
                {...control}
                class="mono"
                list={spec.kind === 'text' && spec.choices.length > 0 ? list : undefined}
                value={value}
                placeholder={spec.kind === 'text' && spec.choices.length > 0 ? spec.choices[0] : undefined}
                autocomplete="off"
                spellcheck={false}
                onInput={({ currentTarget }) => onChange(currentTarget.value)}
              />
              {spec.kind === 'text' && spec.choices.length > 0 && (
                <datalist id={list}>
                  {spec.choices.map((each) => (
                    <option key={each} value={each} />
                  ))}
                </datalist>
              )}
            </>
          )}
        </Field>
      )
  }
}

function label(name: string, isRequired: boolean): string {
  return isRequired ? name : `${name} (optional)`
}
