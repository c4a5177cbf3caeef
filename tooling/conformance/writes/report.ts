import { ways } from './faulty-node.ts'
import type { RunResult } from './run.ts'

/** Prints runs as Markdown. `date`: of the measurement. */
export function printTable(results: readonly RunResult[], date: string): string {
  const rows: readonly (readonly [string, (result: RunResult) => string | number])[] = [
    ['transactions', ({ sent }) => sent],
    ['seconds', ({ seconds }) => seconds.toFixed(1)],
    ['answered by their hash', ({ reported }) => reported.hash],
    ['in doubt, with their hash', ({ reported }) => reported.doubt],
    ['of these mined', ({ doubtsMined }) => doubtsMined],
    ['failed', ({ reported }) => reported.failed],
    ['mined', ({ mined }) => mined],
    ['received by nodes, in all', ({ received }) => received],
    ['looks of another project at private ones', ({ looks }) => looks],
    ...Object.keys(ways).map(
      (way) => [`a node ${way}`, ({ gone }: RunResult) => gone.get(way as keyof typeof ways) ?? 0] as const,
    ),
    ['**broken promises**', ({ broken }) => broken.length],
  ]
  const head = ['', ...results.map(({ name, broadcast }) => `${name}, broadcast ${broadcast}`)]
  const lines = rows.map(([title, read]) => [title, ...results.map((result) => String(read(result)))])
  const table = [head, head.map((_, i) => (i === 0 ? '---' : '---:')), ...lines]
  return `# Writes, ${date}

Transactions through a gateway before three public and two private nodes that go wrong; one in five is of a private project.
Each has its hash as the answer, or an error that is true. \`pnpm --filter @wayleave/conformance writes\`

${table.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}
`
}
