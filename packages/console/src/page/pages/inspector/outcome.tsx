import type { JSX } from 'preact'
import { Badge, type Tone } from '../../parts/badge.tsx'

const words: Readonly<Record<string, { readonly tone: Tone; readonly text: string }>> = {
  answered: { tone: 'ok', text: 'answered' },
  node_error: { tone: 'warn', text: 'node error' },
  refused: { tone: 'warn', text: 'refused' },
  failed: { tone: 'bad', text: 'failed' },
  cancelled: { tone: 'plain', text: 'cancelled' },
}

/** The outcomes of calls, for a list to choose from. */
export const outcomes: readonly { readonly value: string; readonly text: string }[] = Object.entries(words).map(
  ([value, { text }]) => ({ value, text }),
)

/** How a call ended, in a word. */
export function Outcome({ of }: { readonly of: string }): JSX.Element {
  const { tone, text } = words[of] ?? { tone: 'plain', text: of }
  return <Badge tone={tone}>{text}</Badge>
}
