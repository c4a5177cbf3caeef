import type { ComponentChildren, JSX } from 'preact'
import { Icon } from './icon.tsx'

/** A remark in a box. */
export function Notice({
  kind,
  children,
}: {
  readonly kind: 'plain' | 'warn' | 'bad'
  readonly children: ComponentChildren
}): JSX.Element {
  return (
    <div class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : undefined}>
      {kind !== 'plain' && <Icon name="warning" />}
      <div class="notice-text">{children}</div>
    </div>
  )
}
