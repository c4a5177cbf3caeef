import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Icon, type IconName } from './icon.tsx'
import { reportFailure } from './toast.tsx'

export interface ButtonProps {
  readonly children: ComponentChildren
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger'
  readonly icon?: IconName
  readonly type?: 'button' | 'submit'
  /** Why it cannot be used now. It stays reachable, so that everybody can read that. */
  readonly reason?: string | undefined
  readonly isBusy?: boolean
  /** While its promise is open the button is busy; a rejection is told. */
  readonly onClick?: () => unknown
  readonly label?: string
}

export function Button(props: ButtonProps): JSX.Element {
  const { children, kind = 'plain', icon, type = 'button', reason, isBusy = false, onClick, label } = props
  const [isWorking, setWorking] = useState(false)
  const isOff = reason !== undefined || isBusy || isWorking

  async function click(event: MouseEvent): Promise<void> {
    if (isOff) return event.preventDefault()
    if (onClick === undefined) return
    const result = onClick()
    if (!(result instanceof Promise)) return
    setWorking(true)
    await result.catch((thrown) => reportFailure('That failed', thrown))
    setWorking(false)
  }

  return (
    <button
      type={type}
      class={`button ${kind}`}
      aria-disabled={isOff ? 'true' : undefined}
      aria-busy={isBusy || isWorking ? 'true' : undefined}
      aria-label={label}
      title={reason}
      onClick={(event) => void click(event)}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children}
      {reason !== undefined && <span class="unseen">({reason})</span>}
    </button>
  )
}
