import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { keepMemorySteady } from './steady-memory.ts'

const usage = `usage: wayleave-proxy [--config FILE] [--workers N|auto] [--watch] [--json]
       wayleave-proxy --health [ADMIN_URL]
`
/** The default address of the admin listener. */
const usualAdmin = 'http://127.0.0.1:8546'

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    strict: false,
    options: {
      config: { type: 'string' },
      json: { type: 'boolean' },
      watch: { type: 'boolean' },
      health: { type: 'boolean' },
      workers: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  const {
    config,
    json = false,
    watch = false,
    health = false,
    workers: wanted = '1',
    help = false,
    ...unknown
  } = values
  const named = [...(config === undefined ? [] : [config]), ...positionals]
  if (help === true) {
    process.stdout.write(usage)
    return 0
  }
  // Without a value, `--config` is true.
  if (config === true || named.length > 1 || Object.keys(unknown).length > 0) {
    process.stderr.write(usage)
    return 2
  }
  if (health === true) {
    const admin = named[0] ?? usualAdmin
    if (config !== undefined || json === true || watch === true || URL.parse(String(admin))?.protocol !== 'http:') {
      process.stderr.write(usage)
      return 2
    }
    // A check that runs every few seconds does without the gateway.
    const { code, text } = await (await import('./ask-health.ts')).askHealth(String(admin))
    process[code === 0 ? 'stdout' : 'stderr'].write(text)
    return code
  }
  keepMemorySteady(process)
  // A process that begins again would load the gateway twice.
  const [{ findConfigFile }, { runProxy }, { readWorkers }] = await Promise.all([
    import('@wayleave/gateway'),
    import('./proxy.ts'),
    import('./count-workers.ts'),
  ])
  const workers = readWorkers(String(wanted))
  if (workers === undefined) {
    process.stderr.write(`wayleave-proxy: --workers: expected a number from 1 to 64, or auto\n${usage}`)
    return 2
  }
  const found = named.length === 1 ? { file: String(named[0]) } : await findConfigFile()
  if ('problem' in found) {
    process.stderr.write(`wayleave-proxy: ${found.problem}\n`)
    return 2
  }
  return runProxy({
    configFile: found.file,
    version: ownVersion(),
    json: json === true,
    watch: watch === true,
    workers,
    env: process.env,
    events: process,
    stdout: (text) => process.stdout.write(text),
    stderr: (text) => process.stderr.write(text),
  })
}

/** Reads the version of this package. */
function ownVersion(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { readonly version: string }).version
}

// A gateway continues to serve if nobody reads its output.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
process.exitCode = await main()
// Connections that a second signal left open would keep the process alive.
if (process.exitCode !== 0) process.exit()
