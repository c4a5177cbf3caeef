import type { JSX } from 'preact'
import { CheckField } from '../../parts/field.tsx'
import { networks as known } from '../../session.ts'
import { visible } from '../../text/visible.ts'

/** Chooses the networks that keys may reach; undefined: all. */
export function NetworksField(props: {
  readonly value: readonly string[] | undefined
  readonly onChange: (value: readonly string[] | undefined) => void
  readonly error?: string | undefined
}): JSX.Element {
  const { value, onChange, error } = props
  const names = [...new Set([...known.value.map(({ name }) => name), ...(value ?? [])])]
  return (
    <fieldset class="field">
      <legend class="label">Networks</legend>
      <CheckField
        label="All networks, also those to come"
        value={value === undefined}
        onChange={(isOn) => onChange(isOn ? undefined : names)}
      />
      {value !== undefined && (
        <div class="checks">
          {names.map((name) => (
            <CheckField
              key={name}
              label={visible(name)}
              value={value.includes(name)}
              onChange={(isOn) => onChange(isOn ? [...value, name] : value.filter((each) => each !== name))}
            />
          ))}
        </div>
      )}
      {error !== undefined && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  )
}
