import type { ComponentChildren, JSX } from 'preact'

export type Tone = 'ok' | 'warn' | 'bad' | 'plain' | 'accent'

/** A state in a word, with a dot of its colour. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }): JSX.Element {
  return <span class={`badge ${tone}`}>{children}</span>
}
