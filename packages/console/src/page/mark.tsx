import type { JSX } from 'preact'

/** The sign of Wayleave. */
export function Mark(): JSX.Element {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" />
      <path d="M6 10.5 11 22l5-11 5 11 5-11.5" />
    </svg>
  )
}
