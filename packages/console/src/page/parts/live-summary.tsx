import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { browser } from '../defaults.ts'

const everyMs = 20_000

/** Tells screen readers what live numbers have become, not more than three times a minute. */
export function LiveSummary({ text }: { readonly text: string }): JSX.Element {
  const [reported, setReported] = useState('')
  const latest = useRef(text)
  latest.current = text
  const isFirst = reported === '' && text !== ''

  useEffect(() => {
    if (isFirst) setReported(latest.current)
  }, [isFirst])
  useEffect(() => {
    let cancel = browser.after(everyMs, again)
    function again(): void {
      setReported(latest.current)
      cancel = browser.after(everyMs, again)
    }
    return () => cancel()
  }, [])

  return (
    <p class="unseen" aria-live="polite">
      {reported}
    </p>
  )
}
