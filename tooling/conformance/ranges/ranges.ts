import { out, readOptions, runProgram, text, wholeOf } from '@wayleave/bench/program'
import { providers } from './providers.ts'
import { type Outcomes, type ProviderRow, runAlone, runSplit, runTogether } from './scenarios.ts'

/* Measures what limits of ranges cost. Exits with 0 if the bars hold, 1 if one does not, 2 on wrong use. */

const usage = `pnpm --filter @wayleave/conformance ranges [--calls 200] [--seed 1]

  --calls   calls to each provider; six times as many to all behind one network
  --seed    the seed of the load
`
const mostRefusals = 3
const table = (rows: readonly (readonly (string | number)[])[]): void =>
  rows.forEach((row, i) => {
    out(`| ${row.join(' | ')} |`)
    if (i === 0) out(`|${row.map((_, at) => (at === 0 ? '---' : '--:')).join('|')}|`)
  })

const broken: string[] = []
function bar(holds: boolean, what: string): void {
  if (!holds) broken.push(what)
}

function judgeRow({ provider: { name, limit }, mostOfAKind, inVain }: ProviderRow): void {
  bar(mostOfAKind <= mostRefusals, `${name}: ${mostOfAKind} refusals of one kind`)
  // A call under which a kept connection closes is sent once more on a new one.
  const most = name === 'closes the connection' ? 2 : 0
  bar(inVain <= most || limit === 'hostile', `${name}: asked ${inVain} times in vain`)
}
function judgeOutcomes(what: string, { wrong, failed, refused }: Outcomes): void {
  bar(wrong + failed + refused === 0, `${what}: ${wrong} wrong, ${failed} failed, ${refused} refused`)
}

async function main(args: readonly string[]): Promise<number> {
  const values = readOptions(args, { calls: text('200'), seed: text('1') })
  const calls = wholeOf('calls', values.calls, 1)
  const seed = wholeOf('seed', values.seed, 0)

  const columns = ['provider', 'allows', 'asked', 'refusals', 'most of a kind', 'asked again in vain']
  const rows: (readonly (string | number)[])[] = []
  for (const provider of providers) {
    process.stderr.write(`${provider.name} …\n`)
    const row = await runAlone(provider, calls, seed)
    judgeRow(row)
    judgeOutcomes(provider.name, row)
    rows.push([provider.name, provider.allows, row.asked, row.refusals, row.mostOfAKind, row.inVain])
  }
  out(`Each beside a dear node that allows everything: ${calls} calls, one after another\n`)
  table([columns, ...rows])

  process.stderr.write('all behind one network …\n')
  const together = await runTogether(6 * calls, seed, 8)
  judgeOutcomes('together', together.outcomes)
  const inVain = together.rows.reduce((sum, row) => sum + row.inVain, 0)
  const refusalsOfAll = together.rows.reduce((sum, row) => sum + row.refusals, 0)
  out(
    `\nAll behind one network, 8 calls at once: ${JSON.stringify(together.outcomes)}; ${refusalsOfAll} refusals, ${inVain} in vain\n`,
  )
  table([
    columns,
    ...together.rows.map((row) => [
      row.provider.name,
      row.provider.allows,
      row.asked,
      row.refusals,
      row.mostOfAKind,
      row.inVain,
    ]),
  ])

  process.stderr.write('split …\n')
  const split = await runSplit(20, seed)
  judgeOutcomes('split', split.outcomes)
  out(`\nWhere nobody allows the range, so that the gateway asks for parts: ${JSON.stringify(split.outcomes)}\n`)
  table([
    ['provider', 'asked', 'refusals'],
    ...split.asked.map(({ provider, asked, refusals: of }) => [provider, asked, of]),
  ])

  for (const what of broken) out(`BROKEN ${what}`)
  out(broken.length === 0 ? 'all bars hold' : `${broken.length} bars do not hold`)
  return broken.length === 0 ? 0 : 1
}

await runProgram(usage, main)
