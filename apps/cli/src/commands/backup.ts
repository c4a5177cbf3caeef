import { type Command, type CommandIo, UsageError } from '../command.ts'
import { BackupError } from '../backup/backup-error.ts'
import { pgDumpOf, shellText } from '../backup/pg-dump.ts'
import { placeFlags, readStatePlace } from '../backup/state-place.ts'
import { untilStopped } from '../call/until-stopped.ts'
import { sizeText } from '../ipfs/progress-line.ts'
import { createProgressBar } from '../ipfs/progress.ts'
import { oneLine } from '../output/visible.ts'
import { readArgs, switchFlags } from '../read-args.ts'

/** `wayleave backup`: copies the state of a gateway into one file. */
export const backup: Command = {
  help: `Usage: wayleave backup FILE [flags]

Copies the state of a gateway into one file, a tar archive with a checksum of all that is in it, while the gateway serves: the database as it
stands at one moment, the chains of networks, the key of wayleave serve --upstream. Usage of the last second or so is not in it. It has keys
and their digests, so only its owner can read it. wayleave restore puts it back.

  --config FILE     the configuration; default: wayleave.config.ts, .yaml, .yml or .json in this folder
  --data-dir DIR    the folder of wayleave serve --upstream (.wayleave/serve), or the dataDir of a configuration
  --with-ipfs       also the blocks of IPFS content, as pins are worth nothing without them
  --pg-dump         runs pg_dump for a PostgreSQL database, whose dump is then in FILE; else the command is printed
  --force           replaces FILE
  --json            one line: {"file","bytes","at","migrations","files","blocks"}, "command" for PostgreSQL; an error as {"error":…}
`,
  async run(args, io) {
    const { values, positionals } = readArgs(args, {
      ...placeFlags,
      ...switchFlags('with-ipfs', 'pg-dump', 'force', 'json'),
    })
    const [file, ...more] = positionals
    if (file === undefined || file === '' || more.length > 0)
      throw new UsageError('expected FILE, the archive to write')
    const place = await readStatePlace(values, io)
    const withIpfs = values['with-ipfs']
    if (withIpfs && place.ipfsDir === undefined) {
      throw new UsageError(
        '--with-ipfs: the configuration keeps no IPFS content in files; that of a Kubo is copied by its own means',
      )
    }
    const withPostgres = values['pg-dump']
    if (withPostgres && place.postgres === undefined)
      throw new UsageError('--pg-dump: the store is no PostgreSQL database')
    const { writeBackup } = await import('../backup/write-backup.ts')
    const bar = createProgressBar(io.process.stderr, !values.json)
    try {
      const { files, blocks, at, migrations } = await untilStopped(io, (signal) =>
        writeBackup(place, file, {
          withIpfs,
          withPostgres,
          force: values.force,
          env: io.env,
          onBytes: (bytes) => bar.show(bytes, undefined),
          signal,
        }),
      )
      bar.clear()
      const bytes = files.reduce((sum, each) => sum + each.bytes, blocks?.bytes ?? 0)
      const command =
        place.postgres === undefined || withPostgres
          ? undefined
          : shellText(pgDumpOf(place.postgres, `${file}.dump`).args)
      if (values.json) {
        io.stdout(`${JSON.stringify({ file, bytes, at, migrations, files, blocks, command })}\n`)
        return 0
      }
      const names = [...files.map(({ path }) => path), ...(blocks === undefined ? [] : [`${blocks.count} blocks`])]
      io.stdout(`${file}: ${names.length === 0 ? 'nothing is kept yet' : names.join(', ')}; ${sizeText(bytes)}\n`)
      if (command !== undefined) {
        io.stderr(
          'The database is PostgreSQL, and not in it. Dump it by (it asks for the password, or reads ~/.pgpass), or add --pg-dump:\n',
        )
        io.stdout(`${command}\n`)
      }
      return 0
    } catch (thrown) {
      bar.clear()
      return report('backup', thrown, values.json, io)
    }
  },
}

/** Tells why there is no backup, or nothing was restored. Returns the exit code. */
export function report(name: string, thrown: unknown, isJson: boolean, io: CommandIo): number {
  const isStopped = thrown instanceof Error && thrown.name === 'AbortError'
  const isKnown = thrown instanceof BackupError || (thrown instanceof Error && thrown.name === 'StoresError')
  if (!isStopped && !isKnown) throw thrown
  const message = isStopped ? 'stopped; nothing was changed' : (thrown as Error).message
  if (isJson) io.stdout(`${JSON.stringify({ error: { message } })}\n`)
  else io.stderr(`wayleave ${name}: ${oneLine(message)}\n`)
  return 1
}
