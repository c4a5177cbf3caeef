/** Lays out cells as lines below each other, the first one with the titles of the columns. */
export function alignCells(
  cells: readonly (readonly string[])[],
  columns: readonly { readonly title: string; readonly right?: boolean }[],
): readonly string[] {
  const widths = columns.map(({ title }, i) =>
    cells.reduce((most, row) => Math.max(most, row[i]!.length), title.length),
  )
  return [columns.map(({ title }) => title), ...cells].map((row) =>
    row
      .map((text, i) => (columns[i]!.right === true ? text.padStart(widths[i]!) : text.padEnd(widths[i]!)))
      .join('  ')
      .trimEnd(),
  )
}
