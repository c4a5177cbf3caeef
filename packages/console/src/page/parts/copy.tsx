import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { browser } from '../defaults.ts'
import { Icon } from './icon.tsx'
import { reportFailure } from './toast.tsx'

export function CopyButton({ text, what }: { readonly text: string; readonly what: string }): JSX.Element {
  const [isDone, setDone] = useState(false)
  async function copy(): Promise<void> {
    try {
      await copyText(text)
      setDone(true)
      browser.after(2_000, () => setDone(false))
    } catch (thrown) {
      reportFailure(`${what} could not be copied`, thrown)
    }
  }
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={isDone ? 'Copied' : `Copy ${what}`}
      title={`Copy ${what}`}
      onClick={() => void copy()}
    >
      <Icon name={isDone ? 'check' : 'copy'} />
    </button>
  )
}

/** Copies a text, also where the page came over plain HTTP from another machine, which browsers give no clipboard. */
async function copyText(text: string): Promise<void> {
  const clipboard: Clipboard | undefined = navigator.clipboard
  if (clipboard !== undefined) return clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'unseen'
  ;(document.querySelector('dialog[open]') ?? document.body).append(area)
  area.select()
  const isDone = document.execCommand('copy')
  area.remove()
  if (!isDone) throw new Error('select it, and copy it by hand')
}
