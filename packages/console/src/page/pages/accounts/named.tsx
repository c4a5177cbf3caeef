import type { JSX } from 'preact'
import { Text } from '../../parts/text.tsx'

/** The label of a key, or its id where it has none. */
export function Named({ text, id }: { readonly text: string; readonly id: string }): JSX.Element {
  return <>{text === '' ? <span class="mono">{id}</span> : <Text of={text} />}</>
}
