// The program of executable.mjs: a configuration, from its start until a signal.
import { parseArgs } from 'node:util'
import { readWorkers, runProxy } from '../../apps/proxy/src/index.ts'

async function main() {
  const { values } = parseArgs({
    options: {
      config: { type: 'string' },
      workers: { type: 'string', default: '1' },
      watch: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  })
  const workers = readWorkers(values.workers)
  if (values.config === undefined || workers === undefined) {
    process.stderr.write('usage: wayleave-proxy --config FILE [--workers N|auto] [--watch] [--json]\n')
    return 2
  }
  if (/\.[cm]?[jt]s$/.test(values.config)) {
    process.stderr.write('expected a configuration in YAML or JSON: this executable runs no other programs\n')
    return 2
  }
  return runProxy({
    configFile: values.config,
    json: values.json,
    watch: values.watch,
    workers,
    env: process.env,
    events: process,
    stdout: (text) => process.stdout.write(text),
    stderr: (text) => process.stderr.write(text),
  })
}

for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
// A worker of this program, as the primary starts it.
const isWorker = process.connected && process.argv[2] === 'worker-main'
const begun = isWorker ? import('../../packages/gateway/src/worker-main.ts') : main()
begun.then(
  (code) => {
    if (isWorker) return
    process.exitCode = code
    if (code !== 0) process.exit()
  },
  (thrown) => {
    console.error(thrown)
    process.exit(1)
  },
)
