import { SchemaError } from '@wayleave/jsonrpc-core/schema'
import { UsageError } from './command.ts'
import { commands } from './commands.ts'
import { suggest } from './suggest.ts'

const help = `wayleave: blockchain node access that anyone can run

Usage: wayleave COMMAND [options]

${commands.map(({ name, summary }) => `  ${name.padEnd(14)}${summary}`).join('\n')}

wayleave COMMAND --help tells more.
`

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args
  const stdout = (text: string): void => void process.stdout.write(text)
  const stderr = (text: string): void => void process.stderr.write(text)
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    if (name === undefined) stderr(help)
    else stdout(help)
    return name === undefined ? 2 : 0
  }
  const listed = commands.find((candidate) => candidate.name === name)
  if (listed === undefined) {
    const names = commands.map((known) => known.name)
    stderr(`wayleave: there is no command "${name}"${suggest(name, names)}; there are ${names.join(', ')}\n`)
    return 2
  }
  const command = await listed.load()
  try {
    if (rest.includes('--help') || rest.includes('-h')) {
      stdout(typeof command.help === 'string' ? command.help : command.help(rest))
      return 0
    }
    return await command.run(rest, { stdout, stderr, env: process.env, process })
  } catch (thrown) {
    if (!isUsage(thrown)) throw thrown
    stderr(`wayleave ${name}: ${thrown.message}\nwayleave ${name} --help tells more.\n`)
    return 2
  }
}

/** Our own refusals, those of `parseArgs`, and of what no method or slot takes. */
function isUsage(thrown: unknown): thrown is Error {
  if (thrown instanceof UsageError || thrown instanceof SchemaError) return true
  return thrown instanceof TypeError && String((thrown as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS_')
}

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', ({ code }: NodeJS.ErrnoException) => {
    // Who reads our output may leave first, such as `head`.
    if (code === 'EPIPE') return
    if (stream === process.stdout) process.stderr.write(`wayleave: the output could not be written (${code})\n`)
    process.exit(1)
  })
}
process.exitCode = await main(process.argv.slice(2))
// A launcher's channel would keep the process alive, and so would what a second signal left open.
if (process.connected) process.disconnect()
if (process.exitCode !== 0) process.exit()
