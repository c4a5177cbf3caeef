import type { JSX } from 'preact'
import { useId, useState } from 'preact/hooks'
import { Field } from '../../parts/field.tsx'
import type { RpcMethod } from './open-rpc.ts'

const mostShown = 60

/** Finds a method by its name or its sentence; any other name may be typed, too. */
export function MethodSearch(props: {
  readonly methods: readonly RpcMethod[]
  readonly value: string
  readonly onChange: (name: string) => void
}): JSX.Element {
  const { methods, value, onChange } = props
  const [text, setText] = useState<string | undefined>()
  const [active, setActive] = useState(0)
  const list = useId()
  const isOpen = text !== undefined
  const wanted = (text ?? '').trim().toLowerCase()
  const found = methods
    .filter(({ name, summary = '' }) => name.toLowerCase().includes(wanted) || summary.toLowerCase().includes(wanted))
    .toSorted((a, b) => Number(!a.name.toLowerCase().includes(wanted)) - Number(!b.name.toLowerCase().includes(wanted)))
    .slice(0, mostShown)

  function choose(name: string): void {
    setText(undefined)
    setActive(0)
    if (name !== '') onChange(name)
  }

  function pressed(event: KeyboardEvent): void {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const step = event.key === 'ArrowDown' ? 1 : -1
      if (!isOpen) setText('')
      const next = Math.max(0, Math.min(found.length - 1, isOpen ? active + step : 0))
      setActive(next)
      document.getElementById(`${list}-${next}`)?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter' && isOpen) choose(found[active]?.name ?? (text ?? '').trim())
    else if (event.key === 'Escape' && isOpen) setText(undefined)
    else return
    event.preventDefault()
  }

  return (
    <Field label="Method">
      {(control) => (
        <div class="combo">
          <input
            {...control}
            class="mono"
            role="combobox"
            aria-expanded={isOpen}
            aria-controls={list}
            aria-autocomplete="list"
            aria-activedescendant={isOpen && found.length > 0 ? `${list}-${active}` : undefined}
            autocomplete="off"
            spellcheck={false}
            value={text ?? value}
            placeholder="Search by name or by what it does"
            onFocus={({ currentTarget }) => currentTarget.select()}
            onClick={() => {
              if (!isOpen) setText('')
              setActive(0)
            }}
            onBlur={() => setText(undefined)}
            onInput={({ currentTarget }) => {
              setText(currentTarget.value)
              setActive(0)
            }}
            onKeyDown={pressed}
          />
          <ul id={list} class="combo-list" role="listbox" aria-label="Methods" hidden={!isOpen}>
            {found.map(({ name, summary }, i) => (
              <li
                key={name}
                id={`${list}-${i}`}
                role="option"
                aria-selected={i === active}
                // Before the field loses the focus, and the list is gone.
                onMouseDown={(event) => {
                  event.preventDefault()
                  choose(name)
                }}
              >
                <span class="mono">{name}</span>
                <span class="muted small">{summary}</span>
              </li>
            ))}
            {found.length === 0 && (
              <li role="option" aria-selected="false" class="muted">
                No method of the table matches: Enter takes the name as it is.
              </li>
            )}
          </ul>
        </div>
      )}
    </Field>
  )
}
