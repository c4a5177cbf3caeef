import { parseArgs } from 'node:util'
import { runProxy } from './proxy.ts'
import { keepMemorySteady } from './steady-memory.ts'

const usage = 'usage: wayleave-proxy CONFIG [--json]\n'

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    strict: false,
    options: { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  })
  const { json = false, help = false, ...unknown } = values
  const [configFile, ...further] = positionals
  if (help === true) {
    process.stdout.write(usage)
    return 0
  }
  if (configFile === undefined || further.length > 0 || Object.keys(unknown).length > 0) {
    process.stderr.write(usage)
    return 2
  }
  keepMemorySteady(process)
  return runProxy({
    configFile,
    json: json === true,
    env: process.env,
    events: process,
    stdout: (text) => process.stdout.write(text),
    stderr: (text) => process.stderr.write(text),
  })
}

// A gateway continues to serve if nobody reads its output.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
process.exitCode = await main()
// Connections that a second signal left open would keep the process alive.
if (process.exitCode !== 0) process.exit()
