import { flag, readOptions, runProgram, text, wholeOf } from '@wayleave/bench/program'
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

async function main(args: readonly string[]): Promise<number> {
  const values = readOptions(args, { rounds: text('8'), seconds: text('8'), json: flag })
  const rounds = wholeOf('rounds', values.rounds, 1)
  const seconds = wholeOf('seconds', values.seconds, 1)
  const sides = await runRounds({ rounds, seconds })
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
  if (values.json) process.stdout.write(`${JSON.stringify({ with: withNode, without, times, broken })}\n`)
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
  return broken.length === 0 ? 0 : 1
}

await runProgram(usage, main)
