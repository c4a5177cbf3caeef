// Measures the memory that a large file takes: `node tooling/bench/src/ipfs-memory.ts --help`.
import { tmpdir } from 'node:os'
import { systemClock } from './defaults.ts'
import { findKubo, kuboVersion } from './ipfs/kubo.ts'
import { runMemoryBench } from './ipfs/memory-bench.ts'
import { describeMachine } from './machine.ts'
import { printTable } from './table.ts'
import { choiceOf, flag, readOptions, runProgram, text, UsageError, wholeOf } from './program.ts'

const usage = `node tooling/bench/src/ipfs-memory.ts [options]

  --mib N         of the file (1024)
  --readers N     slow readers (100)
  --seconds N     how long they read (10)
  --backend NAME  local, or kubo: that which the variable KUBO names keeps the content (local)
  --folder PATH   where content and stores lie (the system's folder for temporary files)
  --sources       measures the sources instead of what was built
`

async function main(args: readonly string[]): Promise<number> {
  const values = readOptions(args, {
    mib: text('1024'),
    readers: text('100'),
    seconds: text('10'),
    backend: text('local'),
    folder: text(tmpdir()),
    sources: flag,
  })
  const found = choiceOf('backend', values.backend, ['local', 'kubo']) === 'kubo' ? findKubo() : undefined
  if (found !== undefined && 'missing' in found) throw new UsageError(`--backend kubo: ${found.missing}`)
  const plan = {
    kubo: found?.path,
    mib: wholeOf('mib', values.mib, 1),
    readers: wholeOf('readers', values.readers, 1),
    seconds: wholeOf('seconds', values.seconds, 1),
    folder: values.folder,
    code: values.sources ? ('sources' as const) : ('built' as const),
  }
  const machine = describeMachine().filter(([name]) => name !== 'nginx')
  if (plan.kubo !== undefined) machine.push(['Kubo', kuboVersion(plan.kubo)])
  const { rows, speeds } = await runMemoryBench(plan, systemClock, (line) => void process.stderr.write(`${line}\n`))
  for (const [name, value] of machine) console.log(`- ${name}: ${value}`)
  const cells = rows.map(({ what, mb, below }) => {
    const verdict = below === undefined ? '' : mb < below ? 'met' : 'not met'
    return [what, mb.toFixed(0), below === undefined ? '' : String(below), verdict]
  })
  const place = plan.kubo === undefined ? 'the local backend' : 'a Kubo'
  console.log(`\nA file of ${plan.mib} MiB in ${place}\n\n${printTable(['memory', 'MB', 'below', 'verdict'], cells)}`)
  const reported = speeds.map(({ what, mbPerSecond }) => [what, mbPerSecond.toFixed(0)])
  console.log(`\n${printTable(['once, gateway and client on one machine', 'MB/s'], reported)}`)
  const also = plan.kubo === undefined ? 'no block after collection' : 'none in Kubo'
  console.log(`\nA client that left in the middle of its upload left no pin, and ${also}.`)
  return 0
}

await runProgram(usage, main)
