// Measures the cost of a slow way to a trustless gateway: `node tooling/bench/src/ipfs-gateways.ts --help`.
import { tmpdir } from 'node:os'
import { systemClock } from './defaults.ts'
import { runGatewayBench } from './ipfs/gateway-bench.ts'
import { printTable } from './table.ts'
import { readOptions, runProgram, text, wholeOf } from './program.ts'

const usage = `node tooling/bench/src/ipfs-gateways.ts [options]

  --mib N         of the file (64)
  --ms N          between a request and its answer (50)
  --folder PATH   where stores lie (the system's folder for temporary files)
`

async function main(args: readonly string[]): Promise<number> {
  const values = readOptions(args, {
    mib: text('64'),
    ms: text('50'),
    folder: text(tmpdir()),
  })
  const plan = { mib: wholeOf('mib', values.mib, 1), delayMs: wholeOf('ms', values.ms, 0), folder: values.folder }
  const rows = await runGatewayBench(plan, systemClock)
  const cells = rows.map(({ call, archives, requests, ms }) => {
    return [call, archives ? 'archives and blocks' : 'blocks alone', String(requests), ms.toFixed(0)]
  })
  console.log(`A file of ${plan.mib} MiB at a gateway that takes ${plan.delayMs} ms a request\n`)
  console.log(printTable(['call', 'the gateway has', 'requests', 'ms'], cells))
  return 0
}

await runProgram(usage, main)
