import { parseArgs } from 'node:util'
import { runPace } from './pace.ts'
import { runReads, sources } from './reads.ts'
import { printRows, type Row } from './report.ts'
import { runWaiting } from './waiting.ts'

/* Measures how the pool finds what is old, and what is not there. Exits with 0 if all bars hold, 1 if one does not, 2 on wrong use. */

const parts = ['reads', 'waiting', 'pace'] as const

const usage = `pnpm --filter @wayleave/conformance history [options]

  --only NAME   a part: ${parts.join(', ')}; may stand more than once (all)
  --seconds N   length of the pace, at least 5 (60)
`

class UsageError extends Error {}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: args.filter((arg) => arg !== '--'),
      options: {
        only: { type: 'string', multiple: true, default: [...parts] },
        seconds: { type: 'string', default: '60' },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (cause) {
    throw new UsageError((cause as Error).message, { cause })
  }
}

async function main(): Promise<number> {
  const { only, seconds: text, help } = parse(process.argv.slice(2))
  if (help) {
    process.stdout.write(usage)
    return 0
  }
  const seconds = Number(text)
  if (!Number.isSafeInteger(seconds) || seconds < 5)
    throw new UsageError(`--seconds takes a number from 5 up, not ${text}`)
  const unknown = only.find((name) => !parts.some((part) => part === name))
  if (unknown !== undefined) throw new UsageError(`--only takes ${parts.join(', ')}, not ${unknown}`)
  const rows: Row[] = []
  if (only.includes('reads')) for (const source of sources) rows.push(...(await runReads(source)))
  if (only.includes('waiting')) {
    for (const [count, has] of [
      [2, true],
      [3, false],
    ] as const)
      rows.push(...(await runWaiting(count, has)))
  }
  if (only.includes('pace')) rows.push(...(await runPace(seconds)))
  process.stdout.write(`${printRows(rows)}\n`)
  return rows.every(({ holds }) => holds !== false) ? 0 : 1
}

try {
  process.exitCode = await main()
} catch (thrown) {
  if (!(thrown instanceof UsageError)) throw thrown
  process.stderr.write(`${thrown.message}\n\n${usage}`)
  process.exitCode = 2
}
