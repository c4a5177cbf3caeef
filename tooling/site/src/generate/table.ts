/** Prints a table of Markdown. A bar in a cell is escaped, a line break becomes a space. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Prints names as code, with commas between. */
export function codes(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}
