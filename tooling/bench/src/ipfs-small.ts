// Measures small files and blocks beside Kubo: `node tooling/bench/src/ipfs-small.ts --help`.
import { tmpdir } from 'node:os'
import { parseArgs } from 'node:util'
import { systemClock } from './defaults.ts'
import { findKubo, kuboVersion } from './ipfs/kubo.ts'
import { runSmallBench } from './ipfs/small-bench.ts'
import { printSmall } from './ipfs/small-report.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    files: { type: 'string', default: '9998' },
    blocks: { type: 'string', default: '20000' },
    folder: { type: 'string', default: tmpdir() },
    sources: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) {
  process.stdout.write(`node tooling/bench/src/ipfs-small.ts [options]

  --rounds N      interleaved rounds (5)
  --files N       files of an upload (9998)
  --blocks N      blocks of an import (20000)
  --folder PATH   where stores lie (the system's folder for temporary files)
  --sources       measures the sources instead of what was built

The variable KUBO says where a Kubo is; without it, ours is measured alone.
`)
} else {
  const plan = {
    rounds: Number(values.rounds),
    files: Number(values.files),
    blocks: Number(values.blocks),
    folder: values.folder,
    code: values.sources ? ('sources' as const) : ('built' as const),
  }
  const kubo = findKubo()
  const series = await runSmallBench(plan, systemClock, (line) => void process.stderr.write(`${line}\n`))
  console.log(`Kubo: ${'path' in kubo ? kuboVersion(kubo.path) : kubo.missing}\n`)
  console.log(printSmall(series, plan))
}
