/** One figure, against its bar if it has one. */
export interface Row {
  readonly what: string
  readonly bar?: string
  readonly measured: string
  readonly holds?: boolean
}

/** Prints figures as a table in Markdown. */
export function printRows(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ what, bar = '', measured, holds }) => `| ${what} | ${bar} | ${measured}${holds === false ? ', BROKEN' : ''} |`,
  )
  return ['| figure | bar | measured |', '|---|--:|--:|', ...lines].join('\n')
}
