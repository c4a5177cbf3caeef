import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { CopyButton } from '../../parts/copy.tsx'
import { CheckField } from '../../parts/field.tsx'
import { Panel } from '../../parts/page.tsx'
import { languages, type Sample } from './code.ts'

/** The same call as code to copy. The key is left out unless asked for, as screens are shared. */
export function CodePanel({ sample, keyText }: { readonly sample: Sample; readonly keyText: string }): JSX.Element {
  const [name, setName] = useState('curl')
  const [hasKey, setHasKey] = useState(false)
  const language = languages.find((each) => each.name === name)!
  const url = hasKey || keyText === '' ? sample.url : sample.url.replace(encodeURIComponent(keyText), '<key>')
  const text = language.print({ ...sample, url })
  return (
    <Panel
      title="Code"
      actions={
        <fieldset class="segments small">
          <legend class="unseen">Language</legend>
          {languages.map((each) => (
            <button key={each.name} type="button" aria-pressed={each.name === name} onClick={() => setName(each.name)}>
              {each.text}
            </button>
          ))}
        </fieldset>
      }
    >
      <div class="stack">
        <div class="code">
          <pre class="unbroken" tabIndex={0} aria-label={`The call in ${language.text}`}>
            {text}
          </pre>
          <CopyButton text={text} what="the code" />
        </div>
        {keyText !== '' && <CheckField label="With my key in it" value={hasKey} onChange={setHasKey} />}
      </div>
    </Panel>
  )
}
