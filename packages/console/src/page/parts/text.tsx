import type { JSX } from 'preact'
import { piecesOf } from '../text/visible.ts'

/** A text that others wrote. Characters that one does not see, or that turn the direction of writing, are shown by their names. */
export function Text({ of }: { readonly of: string }): JSX.Element {
  const pieces = piecesOf(of)
  if (pieces.every(({ isHidden }) => !isHidden)) return <bdi>{of}</bdi>
  return (
    <bdi>
      {pieces.map(({ text, isHidden }) =>
        isHidden ? (
          <span class="hidden-character" title="A character that one does not see">
            {text}
          </span>
        ) : (
          text
        ),
      )}
    </bdi>
  )
}
