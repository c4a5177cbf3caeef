// Measures the cost of a slow way to a trustless gateway: `node tooling/bench/src/ipfs-gateways.ts --help`.
import { tmpdir } from 'node:os'
import { parseArgs } from 'node:util'
import { systemClock } from './defaults.ts'
import { runGatewayBench } from './ipfs/gateway-bench.ts'
import { printTable } from './table.ts'

const { values } = parseArgs({
  options: {
    mib: { type: 'string', default: '64' },
    ms: { type: 'string', default: '50' },
    folder: { type: 'string', default: tmpdir() },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) {
  process.stdout.write(`node tooling/bench/src/ipfs-gateways.ts [options]

  --mib N         of the file (64)
  --ms N          between a request and its answer (50)
  --folder PATH   where stores lie (the system's folder for temporary files)
`)
} else {
  const plan = { mib: Number(values.mib), delayMs: Number(values.ms), folder: values.folder }
  const rows = await runGatewayBench(plan, systemClock)
  const cells = rows.map(({ call, archives, requests, ms }) => {
    return [call, archives ? 'archives and blocks' : 'blocks alone', String(requests), ms.toFixed(0)]
  })
  console.log(`A file of ${plan.mib} MiB at a gateway that takes ${plan.delayMs} ms a request\n`)
  console.log(printTable(['call', 'the gateway has', 'requests', 'ms'], cells))
}
