import type { JSX } from 'preact'

/** A field that narrows a list. */
export function SearchField(props: {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}): JSX.Element {
  const { label, value, onChange } = props
  return (
    <input
      type="search"
      class="search"
      aria-label={label}
      placeholder={label}
      autocomplete="off"
      spellcheck={false}
      value={value}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}
