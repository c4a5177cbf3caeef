import type { ComponentChildren, JSX } from 'preact'
import type { ConsoleError } from '../api/console-error.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { Text } from './text.tsx'

/** Stands where there is nothing yet; its children say what to do. */
export function Empty({
  title,
  children,
}: {
  readonly title: string
  readonly children?: ComponentChildren
}): JSX.Element {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children !== undefined && <div class="empty-text">{children}</div>}
    </div>
  )
}

/** Tells what could not be loaded, and lets one try again. */
export function Failure(props: {
  readonly what: string
  readonly error: ConsoleError
  readonly onRetry: () => unknown
  /** Whether older values are still shown. */
  readonly isStale?: boolean
}): JSX.Element {
  const { what, error, onRetry, isStale = false } = props
  return (
    <div class="notice bad" role="alert">
      <Icon name="warning" />
      <div class="notice-text">
        <strong>
          {what} could not be loaded{isStale ? '; older values are shown' : ''}.
        </strong>{' '}
        <Text of={error.message} /> {adviceFor(error)}
      </div>
      <Button kind="quiet" onClick={onRetry}>
        Try again
      </Button>
    </div>
  )
}

function adviceFor({ status, code }: ConsoleError): string {
  if (status === 403) return 'Sign in with a token that has this scope.'
  if (status === 404 && code !== 'not_found')
    return 'This gateway may be older than the console, or has this part switched off.'
  if (status === 503) return 'The store or the gateway is busy; this is usually over in seconds.'
  return ''
}

/** Grey bars in the place of what is on its way, as high as that will be. */
export function Skeleton({ rows = 3 }: { readonly rows?: number }): JSX.Element {
  return (
    <div class="skeleton" aria-hidden="true">
      {Array.from({ length: rows }, (_, i) => (
        <div key={i} class="skeleton-row" />
      ))}
    </div>
  )
}
