// Measures small files, blocks and many readers beside Kubo: `node tooling/bench/src/ipfs-small.ts --help`.
import { tmpdir } from 'node:os'
import { systemClock } from './defaults.ts'
import { findKubo, kuboVersion } from './ipfs/kubo.ts'
import { runSmallBench, type SmallJob, smallJobs } from './ipfs/small-bench.ts'
import { printSmall } from './ipfs/small-report.ts'
import { choiceOf, flag, readOptions, runProgram, text, wholeOf } from './program.ts'

const usage = `node tooling/bench/src/ipfs-small.ts [options]

  --rounds N      interleaved rounds (5)
  --files N       files of an upload (9998)
  --blocks N      blocks of an import (20000)
  --reads N       times that 64 files of 1 MB are read at once (20)
  --only JOB      add, import or cats alone (all)
  --folder PATH   where stores lie (the system's folder for temporary files)
  --sources       measures the sources instead of what was built

The variable KUBO says where a Kubo is; without it, ours is measured alone.
`

const jobsOf: Readonly<Record<'all' | 'add' | 'import' | 'cats', readonly SmallJob[]>> = {
  all: smallJobs,
  add: ['add'],
  import: ['dag/import'],
  cats: ['cat'],
}

async function main(args: readonly string[]): Promise<number> {
  const values = readOptions(args, {
    rounds: text('5'),
    files: text('9998'),
    blocks: text('20000'),
    reads: text('20'),
    only: text('all'),
    folder: text(tmpdir()),
    sources: flag,
  })
  const plan = {
    rounds: wholeOf('rounds', values.rounds, 1),
    files: wholeOf('files', values.files, 1),
    blocks: wholeOf('blocks', values.blocks, 1),
    reads: wholeOf('reads', values.reads, 1),
    jobs: jobsOf[choiceOf('only', values.only, ['all', 'add', 'import', 'cats'])],
    folder: values.folder,
    code: values.sources ? ('sources' as const) : ('built' as const),
  }
  const kubo = findKubo()
  const series = await runSmallBench(plan, systemClock, (line) => void process.stderr.write(`${line}\n`))
  console.log(`Kubo: ${'path' in kubo ? kuboVersion(kubo.path) : kubo.missing}\n`)
  console.log(printSmall(series, plan))
  return 0
}

await runProgram(usage, main)
