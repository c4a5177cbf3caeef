// Controls, marks that turn the direction of writing, spaces of no width, and other characters that can make a text look like another one.
const hidden = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]/gu

/** A piece of a text; `isHidden` for the name of a character that would not be seen. */
export interface Piece {
  readonly text: string
  readonly isHidden: boolean
}

/** Cuts a text where it has characters that one does not see, and names those: `U+202E`. */
export function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = []
  let end = 0
  for (const { 0: character, index } of text.matchAll(hidden)) {
    if (index > end) pieces.push({ text: text.slice(end, index), isHidden: false })
    pieces.push({ text: nameOf(character), isHidden: true })
    end = index + character.length
  }
  if (end < text.length) pieces.push({ text: text.slice(end), isHidden: false })
  return pieces
}

/** Prints a text for where there is no markup, such as a title: characters that one does not see are named in brackets. */
export function visible(text: string): string {
  return text.replaceAll(hidden, (character) => `[${nameOf(character)}]`)
}

function nameOf(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
}
