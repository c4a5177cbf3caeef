import type { JSX } from 'preact'

/** A thin bar that compares rows by eye; the number beside it says the same. */
export function Bar({ part, of }: { readonly part: number; readonly of: number }): JSX.Element {
  return (
    <svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect width="100" height="4" class="bar-back" />
      <rect width={of === 0 ? 0 : Math.max(0.5, (part / of) * 100)} height="4" />
    </svg>
  )
}
