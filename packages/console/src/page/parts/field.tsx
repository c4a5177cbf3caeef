import type { ComponentChildren, JSX } from 'preact'
import { useId } from 'preact/hooks'

/** Attributes that tie a control to its label, its hint and its error. */
export interface ControlProps {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': 'true' | undefined
}

/** A control with its label, and what there is to say about it. */
export function Field(props: {
  readonly label: string
  readonly hint?: ComponentChildren
  readonly error?: string | undefined
  readonly isInline?: boolean
  readonly children: (props: ControlProps) => ComponentChildren
}): JSX.Element {
  const { label, hint, error, isInline = false, children } = props
  const id = useId()
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div class={isInline ? 'field inline' : 'field'}>
      <label for={id}>{label}</label>
      {children({
        id,
        'aria-describedby': described === '' ? undefined : described,
        'aria-invalid': error === undefined ? undefined : 'true',
      })}
      {error !== undefined && (
        <p id={`${id}-error`} class="field-error" role="alert">
          {error}
        </p>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} class="field-hint">
          {hint}
        </p>
      )}
    </div>
  )
}

interface InputProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly hint?: ComponentChildren
  readonly error?: string | undefined
  readonly isInline?: boolean
}

/** A line of text. */
export function TextField(
  props: InputProps & {
    readonly placeholder?: string
    readonly type?: 'text' | 'number' | 'password' | 'search' | 'datetime-local'
    readonly isRequired?: boolean
    readonly isMono?: boolean
  },
): JSX.Element {
  const { value, onChange, placeholder, type = 'text', isRequired = false, isMono = false, ...field } = props
  return (
    <Field {...field}>
      {(control) => (
        <input
          {...control}
          type={type as 'text'}
          class={isMono ? 'mono' : undefined}
          value={value}
          placeholder={placeholder}
          required={isRequired}
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </Field>
  )
}

/** Several lines of text, such as JSON or a list. */
export function AreaField(
  props: InputProps & { readonly rows?: number; readonly isMono?: boolean; readonly placeholder?: string },
): JSX.Element {
  const { value, onChange, rows = 4, isMono = false, placeholder, ...field } = props
  return (
    <Field {...field}>
      {(control) => (
        <textarea
          {...control}
          rows={rows}
          class={isMono ? 'mono' : undefined}
          placeholder={placeholder}
          spellcheck={false}
          value={value}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </Field>
  )
}

/** One of several values. */
export function SelectField(
  props: InputProps & { readonly options: readonly { readonly value: string; readonly text: string }[] },
): JSX.Element {
  const { value, onChange, options, ...field } = props
  return (
    <Field {...field}>
      {(control) => (
        <select {...control} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          {options.map((option) => (
            <option key={option.value} value={option.value} selected={option.value === value}>
              {option.text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** A yes or no. */
export function CheckField(props: {
  readonly label: string
  readonly value: boolean
  readonly onChange: (value: boolean) => void
  readonly hint?: ComponentChildren
}): JSX.Element {
  const { label, value, onChange, hint } = props
  const id = useId()
  return (
    <div class="field check">
      <input
        id={id}
        type="checkbox"
        checked={value}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <p id={`${id}-hint`} class="field-hint">
          {hint}
        </p>
      )}
    </div>
  )
}
