// Measures the cost of adding and reading content, beside a bare loop: `node tooling/bench/src/ipfs.ts --help`.
import { tmpdir } from 'node:os'
import { systemClock } from './defaults.ts'
import { runIpfsBench } from './ipfs/ipfs-bench.ts'
import { findKubo, kuboVersion } from './ipfs/kubo.ts'
import { figuresOf, printIpfs } from './ipfs/report.ts'
import { subjects } from './ipfs/subjects.ts'
import { describeMachine } from './machine.ts'
import { choiceOf, flag, readOptions, runProgram, text, wholeOf } from './program.ts'

const names = subjects.map(({ name }) => name)

const usage = `node tooling/bench/src/ipfs.ts [options]

  --rounds N      interleaved rounds (7)
  --mib N         content of a round, in MiB (256)
  --folder PATH   where content and stores lie: all on one disk (the system's folder for temporary files)
  --only NAME     a subject, by its name in the table; may be repeated
  --sources       measures the sources instead of what was built
  --json          prints JSON instead of tables

The variable KUBO says where a Kubo is; without it, Kubo is left out.
`

async function main(args: readonly string[]): Promise<number> {
  const values = readOptions(args, {
    rounds: text('7'),
    mib: text('256'),
    folder: text(tmpdir()),
    only: { type: 'string', multiple: true },
    json: flag,
    sources: flag,
  })
  const code = values.sources ? ('sources' as const) : ('built' as const)
  const plan = {
    rounds: wholeOf('rounds', values.rounds, 1),
    mib: wholeOf('mib', values.mib, 1),
    folder: values.folder,
    only: values.only?.map((name) => choiceOf('only', name, names)),
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
  return 0
}

await runProgram(usage, main)
