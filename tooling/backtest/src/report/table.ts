/** Prints a Markdown table that also reads well as plain text; all but the first `texts` columns are aligned right. */
export function printTable(header: readonly string[], rows: readonly (readonly string[])[], texts = 1): string {
  const widths = header.map((title, column) =>
    Math.max(3, title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => pad(cells[column] ?? '', width, column < texts)).join(' | ')} |`
  const rule = line(widths.map((width, column) => (column < texts ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)))
  return [line(header), rule, ...rows.map(line)].join('\n')
}

function pad(text: string, width: number, left: boolean): string {
  return left ? text.padEnd(width) : text.padStart(width)
}
