import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { browser } from '../../defaults.ts'
import { Button } from '../../parts/button.tsx'
import { SelectField, TextField } from '../../parts/field.tsx'
import { query, setQuery } from '../../router.ts'
import { networks } from '../../session.ts'
import { visible } from '../../text/visible.ts'
import { outcomes } from './outcome.tsx'

const typingMs = 400

/** Chooses which calls are shown; the choice stands in the address. */
export function Filters(): JSX.Element {
  const get = (name: string): string => query.value.get(name) ?? ''
  const set = (name: string) => (value: string) =>
    setQuery({ [name]: value === '' ? undefined : value }, { replace: true })
  const names = ['network', 'outcome', 'method', 'project', 'minMs']
  const isFiltered = names.some((name) => get(name) !== '')
  return (
    <div class="filters" role="group" aria-label="Filters">
      <SelectField
        label="Network"
        value={get('network')}
        onChange={set('network')}
        options={[
          { value: '', text: 'All' },
          ...networks.value.map(({ name }) => ({ value: name, text: visible(name) })),
        ]}
      />
      <SelectField
        label="Outcome"
        value={get('outcome')}
        onChange={set('outcome')}
        options={[{ value: '', text: 'All' }, ...outcomes]}
      />
      <Typed label="Method" value={get('method')} onChange={set('method')} placeholder="eth_call" />
      <Typed label="Project id" value={get('project')} onChange={set('project')} />
      <Typed
        label="Slower than, ms"
        value={get('minMs')}
        onChange={(text) => set('minMs')(text.replaceAll(/\D/g, ''))}
      />
      {isFiltered && (
        <Button
          kind="quiet"
          onClick={() => setQuery(Object.fromEntries(names.map((name) => [name, undefined])), { replace: true })}
        >
          Clear filters
        </Button>
      )}
    </div>
  )
}

/** A field that waits for the end of typing. */
function Typed(props: {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly placeholder?: string
}): JSX.Element {
  const { value, onChange, ...field } = props
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  useEffect(() => {
    if (text === value) return undefined
    return browser.after(typingMs, () => onChange(text.trim()))
  }, [text])
  return <TextField {...field} type="search" value={text} onChange={setText} />
}
