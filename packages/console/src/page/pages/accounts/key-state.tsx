import type { Key } from '@wayleave/admin-api'
import type { JSX } from 'preact'
import { Badge } from '../../parts/badge.tsx'
import { ago } from '../../text/format.ts'

const soonMs = 14 * 86_400_000

/** Tells whether a key works, and for how long. */
export function KeyState({
  of: { disabled, expiresAt },
  now,
}: {
  readonly of: Key
  readonly now: number
}): JSX.Element {
  if (disabled) return <Badge tone="plain">disabled</Badge>
  if (expiresAt === undefined) return <Badge tone="ok">active</Badge>
  if (expiresAt <= now) return <Badge tone="bad">expired</Badge>
  return <Badge tone={expiresAt - now < soonMs ? 'warn' : 'ok'}>expires {ago(expiresAt, now)}</Badge>
}
