// Measures the cost of adding and reading content, beside a bare loop: `node tooling/bench/src/ipfs.ts --help`.
import { tmpdir } from 'node:os'
import { parseArgs } from 'node:util'
import { systemClock } from './defaults.ts'
import { runIpfsBench } from './ipfs/ipfs-bench.ts'
import { findKubo, kuboVersion } from './ipfs/kubo.ts'
import { figuresOf, printIpfs } from './ipfs/report.ts'
import { subjects } from './ipfs/subjects.ts'
import { describeMachine } from './machine.ts'

const usage = `node tooling/bench/src/ipfs.ts [options]

  --rounds N      interleaved rounds (7)
  --mib N         content of a round, in MiB (256)
  --folder PATH   where content and stores lie: all on one disk (the system's folder for temporary files)
  --only NAME     a subject, by its name in the table; may be repeated
  --sources       measures the sources instead of what was built
  --json          prints JSON instead of tables

The variable KUBO says where a Kubo is; without it, Kubo is left out.
`
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    mib: { type: 'string', default: '256' },
    folder: { type: 'string', default: tmpdir() },
    only: { type: 'string', multiple: true },
    json: { type: 'boolean', default: false },
    sources: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) {
  process.stdout.write(usage)
} else {
  const code = values.sources ? ('sources' as const) : ('built' as const)
  const plan = {
    rounds: count('rounds'),
    mib: count('mib'),
    folder: values.folder,
    only: names(),
    code,
    restMs: 6_000,
  }
  const kubo = findKubo()
  const machine = [
    ...describeMachine().filter(([name]) => name !== 'nginx'),
    ['Kubo', 'path' in kubo ? kuboVersion(kubo.path) : kubo.missing] as const,
  ]
  const bench = await runIpfsBench(plan, systemClock, (line) => void process.stderr.write(`${line}\n`))
  if (values.json) {
    console.log(
      JSON.stringify({ machine, ...plan, missing: bench.missing, figures: figuresOf(bench, plan.mib) }, null, 2),
    )
  } else {
    for (const [name, value] of machine) console.log(`- ${name}: ${value}`)
    console.log(
      `\n${plan.rounds} interleaved rounds of ${plan.mib} MiB in leaves of 1 MiB\n\n${printIpfs(bench, plan.mib)}`,
    )
  }
}

function names(): readonly string[] | undefined {
  const known = subjects.map(({ name }) => name)
  const stranger = values.only?.find((name) => !known.includes(name))
  if (stranger !== undefined) refuse(`--only takes one of ${known.join(' | ')}, not ${stranger}`)
  return values.only
}

function count(name: 'rounds' | 'mib'): number {
  const value = Number(values[name])
  if (Number.isInteger(value) && value >= 1) return value
  refuse(`--${name} takes a whole number of at least 1, not ${values[name]}`)
}

function refuse(why: string): never {
  process.stderr.write(`${why}\n\n${usage}`)
  process.exit(2)
}
