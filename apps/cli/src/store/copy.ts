import { dirname } from 'node:path'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import type { StoreCopy, StoresOptions } from '@wayleave/stores'
import { readNamedArgs } from '../accounts/flags.ts'
import type { Subcommand } from '../accounts/subcommands.ts'
import { untilStopped } from '../call/until-stopped.ts'
import { type CommandIo, UsageError } from '../command.ts'
import { oneLine } from '../output/visible.ts'
import { createRowsLine } from './rows-line.ts'

const flags = {
  from: { type: 'string' },
  to: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const

export const copy: Subcommand = {
  usage: '--from PLACE --to PLACE [--json]',
  summary: 'copies all state into another database, and compares both',
  help: `Copies accounts, audit log, usage, pins, fees and filters into an empty database, from SQLite to PostgreSQL or back, and then compares both by
counts, sums and digests. Stop all gateways of both places before: a place in use is refused. If the copy is stopped or killed, the same
command goes on; until it has ended, no gateway starts on the new database. The old one stays as it is.

  --from PLACE        the database to copy: an SQLite file, a postgres:// URL, or a configuration (.yaml, .yml, .json, .ts, .js)
  --to PLACE          an empty database, or an SQLite file that is made. All users of this machine can see a URL and its password:
                      a configuration keeps them to you
  --json              one line: {"from","to","resumed","tables":[{"table","rows","sums","digest"}]}; an error as {"error":…}
`,
  async run(args, io) {
    const { values } = readNamedArgs(args, flags, [])
    if (values.from === undefined || values.to === undefined)
      throw new UsageError('expected --from PLACE and --to PLACE')
    const line = createRowsLine(io, !values.json)
    try {
      const from = await placeOf('--from', values.from, io)
      const to = await placeOf('--to', values.to, io)
      if ('sqlite' in from && !existsSync(from.sqlite))
        throw new UsageError(`--from: expected an SQLite file that exists, got "${from.sqlite}"`)
      if ('sqlite' in to) await mkdir(dirname(to.sqlite), { recursive: true, mode: 0o700 })
      const { copyStore } = await import('@wayleave/stores')
      const copied = await untilStopped(io, (signal) => copyStore(from, to, { onProgress: line.show, signal }))
      line.clear()
      print(copied, values.json, io)
      return 0
    } catch (thrown) {
      line.clear()
      return report(thrown, values.json, io)
    }
  },
}

/** Reads a place as a flag names it. @throws UsageError, ConfigError */
async function placeOf(flag: string, given: string, io: CommandIo): Promise<StoresOptions> {
  if (/^postgres(?:ql)?:/.test(given)) return { postgres: given }
  // Another scheme is a mistake, and may hold a password.
  if (given === '' || /^\w+:\/\//.test(given))
    throw new UsageError(`${flag}: expected the path of an SQLite file, a postgres:// URL or a configuration`)
  if (!/\.(?:ya?ml|json|[cm]?[jt]s)$/.test(given)) return { sqlite: given }
  const { loadConfig, storePlace } = await import('@wayleave/gateway')
  const place = storePlace(await loadConfig(given, io.env))
  if (place === 'memory')
    throw new UsageError(`${flag}: ${given} has no store that outlasts the gateway: set store or dataDir`)
  return place
}

function print({ from, to, isResumed, tables }: StoreCopy, isJson: boolean, io: CommandIo): void {
  if (isJson) {
    io.stdout(`${JSON.stringify({ from, to, resumed: isResumed, tables })}\n`)
    return
  }
  for (const { table, rows, sums, digest } of tables) {
    const ofSums = Object.entries(sums).map(([name, sum]) => `${name}=${sum}`)
    io.stdout(`${[table, rows, ofSums.join(' ') || '-', digest.slice(0, 16)].join('\t')}\n`)
  }
  io.stderr(oneLine(`${from} was copied to ${to}; both have the same rows, sums and digests`))
  io.stderr('\nName the new one as store in the configuration, and start the gateway.\n')
}

function report(thrown: unknown, isJson: boolean, io: CommandIo): number {
  if (!(thrown instanceof Error) || !['AbortError', 'StoresError', 'ConfigError'].includes(thrown.name)) throw thrown
  const isStopped = thrown.name === 'AbortError'
  const message = isStopped ? 'stopped; the same command goes on from here' : thrown.message
  const code = isStopped ? 'stopped' : thrown.name === 'ConfigError' ? 'config' : (thrown as { code?: unknown }).code
  if (isJson) io.stdout(`${JSON.stringify({ error: { code, message } })}\n`)
  else io.stderr(`wayleave store copy: ${oneLine(message)}\n`)
  return code === 'config' ? 2 : 1
}
