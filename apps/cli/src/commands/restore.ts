import { pgRestoreOf, shellText } from '../backup/pg-dump.ts'
import { destinations, placeFlags, readStatePlace } from '../backup/state-place.ts'
import { untilStopped } from '../call/until-stopped.ts'
import { type Command, UsageError } from '../command.ts'
import { createProgressBar } from '../ipfs/progress.ts'
import { oneLine } from '../output/visible.ts'
import { dirname } from 'node:path'
import { report } from './backup.ts'
import { readArgs, switchFlags } from '../read-args.ts'

/** `wayleave restore`: puts the state of a backup back. */
export const restore: Command = {
  help: `Usage: wayleave restore FILE [flags]

Puts the state of a backup in the place of a gateway, which must not run. The whole archive is checked first: of one that is torn or was
changed, nothing is taken. State that is there is never removed: with --force it is moved aside. A start migrates what is of an earlier version.

  --config FILE     the configuration; default: wayleave.config.ts, .yaml, .yml or .json in this folder
  --data-dir DIR    the folder of wayleave serve --upstream (.wayleave/serve), or the dataDir of a configuration
  --force           moves state that is there into a folder before-restore-… beside it
  --json            one line: {"file","at","wayleave","files","blocks","before"}, "command" for PostgreSQL; an error as {"error":…}
`,
  async run(args, io) {
    const { values, positionals } = readArgs(args, {
      ...placeFlags,
      ...switchFlags('force', 'json'),
    })
    const [file, ...more] = positionals
    if (file === undefined || file === '' || more.length > 0)
      throw new UsageError('expected FILE, an archive of wayleave backup')
    const place = await readStatePlace(values, io)
    const { restoreBackup } = await import('../backup/read-backup.ts')
    const bar = createProgressBar(io.process.stderr, !values.json)
    try {
      const { manifest, before } = await untilStopped(io, (signal) =>
        restoreBackup(file, place, { force: values.force, onBytes: (bytes) => bar.show(bytes, undefined), signal }),
      )
      bar.clear()
      const { at, wayleave, files, blocks } = manifest
      const hasDump = files.some(({ path }) => path === 'postgres.dump')
      const dump = destinations(place, dirname(file))['postgres.dump']!
      const command = hasDump && place.postgres !== undefined ? shellText(pgRestoreOf(place.postgres, dump)) : undefined
      if (values.json) {
        io.stdout(`${JSON.stringify({ file, at, wayleave, files, blocks, before, command })}\n`)
        return 0
      }
      const ofBlocks = blocks === undefined ? '' : `, with ${blocks.count} blocks`
      io.stdout(`${oneLine(`${file} of ${at} is restored${ofBlocks}`)}\n`)
      for (const folder of before) io.stderr(`the state before is in ${folder}\n`)
      if (command !== undefined) {
        io.stderr('The dump of PostgreSQL is put back by (it asks for the password, or reads ~/.pgpass):\n')
        io.stdout(`${command}\n`)
      }
      return 0
    } catch (thrown) {
      bar.clear()
      return report('restore', thrown, values.json, io)
    }
  },
}
