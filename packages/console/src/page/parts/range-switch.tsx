import type { JSX } from 'preact'
import { rangeAmong, ranges } from '../range.ts'
import { setQuery } from '../router.ts'

/** Chooses the stretch of time that is shown. */
export function RangeSwitch({ only = ranges }: { readonly only?: typeof ranges }): JSX.Element {
  return (
    <fieldset class="segments">
      <legend class="unseen">Time range</legend>
      {only.map(({ name, text }) => (
        <button
          key={name}
          type="button"
          aria-pressed={rangeAmong(only).name === name}
          onClick={() => setQuery({ range: name }, { replace: true })}
        >
          {name}
          <span class="unseen"> ({text})</span>
        </button>
      ))}
    </fieldset>
  )
}
