// Measures small files and blocks beside Kubo: `node tooling/bench/src/ipfs-small.ts --help`.
import { tmpdir } from 'node:os'
import { systemClock } from './defaults.ts'
import { findKubo, kuboVersion } from './ipfs/kubo.ts'
import { runSmallBench } from './ipfs/small-bench.ts'
import { printSmall } from './ipfs/small-report.ts'
import { flag, readOptions, runProgram, text, wholeOf } from './program.ts'

const usage = `node tooling/bench/src/ipfs-small.ts [options]

  --rounds N      interleaved rounds (5)
  --files N       files of an upload (9998)
  --blocks N      blocks of an import (20000)
  --folder PATH   where stores lie (the system's folder for temporary files)
  --sources       measures the sources instead of what was built

The variable KUBO says where a Kubo is; without it, ours is measured alone.
`

async function main(args: readonly string[]): Promise<number> {
  const values = readOptions(args, {
    rounds: text('5'),
    files: text('9998'),
    blocks: text('20000'),
    folder: text(tmpdir()),
    sources: flag,
  })
  const plan = {
    rounds: wholeOf('rounds', values.rounds, 1),
    files: wholeOf('files', values.files, 1),
    blocks: wholeOf('blocks', values.blocks, 1),
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
