import type { Lie } from './catalogue.ts'
import { type Cell, type Level, levels, type Place, places } from './run-lie.ts'

/** A lie with its cells, by level and place. */
export interface Row {
  readonly lie: Lie
  readonly cells: Readonly<Record<`${Level} ${Place}`, Cell>>
}

/** The columns of the table. */
export const columns = levels.flatMap((level) => places.map((place) => `${level} ${place}` as const))

/** The rows where a false answer was served although two of three upstreams are honest, and a proof of it was asked for. */
export function broken(rows: readonly Row[]): readonly Row[] {
  return rows.filter(
    ({ lie, cells }) =>
      lie.about !== 'unproven' &&
      [cells['proven first'], cells['proven second']].some(({ served }) => served !== 'true'),
  )
}

/** Marks that a false answer may have, by what it is about: a node can make up an answer that agrees with itself. */
const honestMarks: Readonly<Record<'unproven' | 'provable', readonly (string | null)[]>> = {
  unproven: ['unchecked'],
  provable: ['unchecked', 'consistent'],
}

/** Tells whether an answer says of itself what is not so, or says nothing. An error is no answer. */
export function isMislabelled({ about }: Lie, { served, mark }: Cell): boolean {
  if (served === 'error') return false
  if (served === 'true') return mark === null
  return !honestMarks[about === 'unproven' ? 'unproven' : 'provable'].includes(mark)
}

/** The rows with a cell that is mislabelled. */
export function mislabelled(rows: readonly Row[]): readonly Row[] {
  return rows.filter(({ lie, cells }) => columns.some((name) => isMislabelled(lie, cells[name])))
}

/** The reason of a cell. */
export function reasonOf(column: string, { served, liar, mark }: Cell): string {
  if (served === 'error') return 'told: nobody else to ask'
  if (served === 'false' && mark === 'unchecked') return '**false**, `unchecked`'
  if (served === 'false')
    return column.endsWith('alone') ? '**false**: nobody contradicts it' : '**false**: agrees with itself'
  if (liar === 'refused') return 'true: the lie is refuted'
  return liar === 'asked' ? 'true: the lie waited, another proved' : 'true: the liar was not needed'
}

/** Prints the table as Markdown. */
export function printTable(rows: readonly Row[], date: string): string {
  const head = ['about', 'call', 'lie', ...columns.map((name) => name.replace(' ', ', '))]
  const lines = rows.map(({ lie, cells }) => [
    lie.about,
    `\`${lie.method}\``,
    lie.name,
    ...columns.map((name) => reasonOf(name, cells[name])),
  ])
  const counts = columns.map((name) => `${rows.filter(({ cells }) => cells[name].served === 'false').length} false`)
  const table = [head, head.map(() => '---'), ...lines, ['', '', `**of ${rows.length}**`, ...counts]]
  return `# Lies ${date}

One upstream lies, in first or second place of three, or alone. Each question is asked once of a new gateway over anvil's chain.
\`pnpm --filter @wayleave/conformance lies --write\` makes this table.

- *refuted*: the liar is logged, and asked last from then on.
- *waited*: nothing showed the lie to be one, and nothing proved it; another upstream proved its answer.
- *agrees with itself*: \`consistent\` makes no further calls, and such a lie takes one.
- *nobody contradicts it*: with one upstream there is no quorum, and only a hash in the question proves anything.
- *\`unchecked\`*: the answer says of itself that nothing was found out about it.
- *told*: the caller gets an error, since the only upstream's answer is false.
- *not needed*: the first upstream proved its answer; the liar was at most asked for its vote.

${table.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}
`
}
