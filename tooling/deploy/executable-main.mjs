// The program of executable.mjs: a configuration, from its start until a signal.
import { parseArgs } from 'node:util'
import { runProxy } from '../../apps/proxy/src/index.ts'

async function main() {
  const { values } = parseArgs({
    options: {
      config: { type: 'string' },
      watch: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  })
  if (values.config === undefined) {
    process.stderr.write('usage: wayleave-proxy --config FILE [--watch] [--json]\n')
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
    env: process.env,
    events: process,
    stdout: (text) => process.stdout.write(text),
    stderr: (text) => process.stderr.write(text),
  })
}

for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
main().then(
  (code) => {
    process.exitCode = code
    if (code !== 0) process.exit()
  },
  (thrown) => {
    console.error(thrown)
    process.exit(1)
  },
)
