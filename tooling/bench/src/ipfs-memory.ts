// What a large file costs in memory: `node tooling/bench/src/ipfs-memory.ts --help`.
import { tmpdir } from 'node:os'
import { parseArgs } from 'node:util'
import { systemClock } from './defaults.ts'
import { runMemoryBench } from './ipfs/memory-bench.ts'
import { describeMachine } from './machine.ts'
import { printTable } from './table.ts'

const { values } = parseArgs({
  options: {
    mib: { type: 'string', default: '1024' },
    readers: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '10' },
    folder: { type: 'string', default: tmpdir() },
    sources: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) {
  process.stdout.write(`node tooling/bench/src/ipfs-memory.ts [options]

  --mib N         of the file (1024)
  --readers N     slow readers (100)
  --seconds N     how long they read (10)
  --folder PATH   where content and stores lie (the system's folder for temporary files)
  --sources       measures the sources instead of what was built
`)
} else {
  const plan = {
    mib: Number(values.mib),
    readers: Number(values.readers),
    seconds: Number(values.seconds),
    folder: values.folder,
    code: values.sources ? ('sources' as const) : ('built' as const),
  }
  const machine = describeMachine().filter(([name]) => name !== 'nginx')
  const rows = await runMemoryBench(plan, systemClock, (line) => void process.stderr.write(`${line}\n`))
  for (const [name, value] of machine) console.log(`- ${name}: ${value}`)
  const cells = rows.map(({ what, mb, below }) => {
    const verdict = below === undefined ? '' : mb < below ? 'met' : 'not met'
    return [what, mb.toFixed(0), below === undefined ? '' : String(below), verdict]
  })
  console.log(`\nA file of ${plan.mib} MiB\n\n${printTable(['memory', 'MB', 'below', 'verdict'], cells)}`)
  console.log('\nA client that left in the middle of its upload left no pin, and no block after collection.')
}
