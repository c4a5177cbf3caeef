import { parseArgs } from 'node:util'
import { percentile } from '../starvation/measure/percentile.ts'
import { runRounds, type Side } from './run-rounds.ts'

/* Measures what a node with flashblocks costs callers who never look at them. Exits with 0 if the bars hold, 1 if one does not, 2 on wrong use. */

const usage = `pnpm --filter @wayleave/conformance flashblocks [options]

  --rounds N    pairs of rounds: with the node, and without (8)
  --seconds N   of each round (8)
  --json        one JSON object, for programs
`
/** The most that p99 with flashblocks may be of that without, in the middle pair of rounds. */
const mostTimes = 1.1

function parse() {
  const number = (value: string): { readonly type: 'string'; readonly default: string } => ({
    type: 'string',
    default: value,
  })
  const { values } = parseArgs({
    args: process.argv.slice(2).filter((arg) => arg !== '--'),
    options: {
      rounds: number('8'),
      seconds: number('8'),
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)]
  if (![rounds, seconds].every((each) => Number.isSafeInteger(each) && each > 0))
    throw new TypeError('--rounds and --seconds take whole numbers above 0')
  return { ...values, rounds, seconds }
}

function figuresOf({ looker, other, headMs }: Side) {
  const times = (values: readonly number[]) =>
    [50, 99, 100].map((percent) => Math.round(10 * percentile(values, percent)) / 10)
  return {
    latestMs: times(other.latestMs),
    headMs: times(headMs),
    calls: other.latestMs.length,
    heads: headMs.length,
    pendings: looker.pendings,
    receipts: looker.receipts,
    back: [...looker.back, ...other.back],
    errors: [...looker.errors, ...other.errors],
  }
}

let line: ReturnType<typeof parse>
try {
  line = parse()
} catch (thrown) {
  process.stderr.write(`${(thrown as Error).message}\n\n${usage}`)
  process.exit(2)
}
if (line.help) process.stdout.write(usage)
else {
  const sides = await runRounds(line)
  const [withNode, without] = [figuresOf(sides.with), figuresOf(sides.without)]
  // Pairs of rounds are beside one another, so that a busy machine is busy in both.
  const times = percentile(
    sides.with.p99s.map((each, i) => each / sides.without.p99s[i]!),
    50,
  )
  const broken = [
    ...withNode.back.map((each) => `back: ${each}`),
    ...[...withNode.errors, ...without.errors].map((each) => `failed: ${each}`),
    ...(times > mostTimes ? [`p99 of latest is ${times.toFixed(2)} times that without`] : []),
  ]
  if (line.json) process.stdout.write(`${JSON.stringify({ with: withNode, without, times, broken })}\n`)
  else {
    const rows = Object.entries({ 'with flashblocks': withNode, without }).map(
      ([name, { latestMs, headMs, calls, heads, pendings, receipts, back }]) =>
        `| ${name} | ${calls} | ${latestMs.join(' / ')} | ${heads} | ${headMs.join(' / ')} | ${pendings} | ${receipts} | ${back.length} |`,
    )
    const head =
      '| | `latest` | p50 / p99 / most, ms | heads | later than at a node, ms | `pending` | receipts | back |'
    process.stdout.write(`${[head, '|---|--:|--:|--:|--:|--:|--:|--:|', ...rows].join('\n')}\n`)
    process.stdout.write(`p99 of latest, middle pair of rounds: ${times.toFixed(2)} times that without\n`)
    for (const each of new Set(broken)) process.stdout.write(`${each}\n`)
  }
  process.exitCode = broken.length === 0 ? 0 : 1
}
