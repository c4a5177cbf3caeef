/**
 * Controls, marks that turn the direction of writing, spaces of no width, fillers, and other characters that can make a text look like another
 * one.
 */
const hidden = new RegExp(
  [
    String.raw`[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]`,
    ...['00AD', '034F', '061C', '115F', '1160', '17B4', '17B5', '180E', '3164', 'FEFF', 'FFA0'].map(escaped),
    ...[
      ['200B', '200F'],
      ['202A', '202E'],
      ['2060', '206F'],
      ['FFF9', 'FFFB'],
      ['E0000', 'E007F'],
    ].map(([first, last]) => `[${escaped(first!)}-${escaped(last!)}]`),
  ].join('|'),
  'gu',
)

function escaped(code: string): string {
  return `\\u{${code}}`
}

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
