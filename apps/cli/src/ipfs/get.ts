import { type CommandIo, UsageError } from '../command.ts'
import { oneLine } from '../output/visible.ts'
import { ipfsFlags, openIpfs, readIpfsArgs, readVerify, reportUnverified, verifyFlag } from './flags.ts'
import { jsonLine } from './json-line.ts'
import { sizeText } from './progress-line.ts'
import { createProgressBar } from './progress.ts'
import { runCall } from './run-call.ts'
import { writeEntries } from './write-entries.ts'

const flags = {
  ...ipfsFlags,
  ...verifyFlag,
  output: { type: 'string', short: 'o' },
  force: { type: 'boolean', default: false },
} as const

/** Runs `wayleave ipfs get`. Resolves with the exit code. */
export async function get(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = readIpfsArgs(args, flags)
  const [path, ...more] = positionals
  if (path === undefined || more.length > 0) throw new UsageError('expected one CID or CID/PATH')
  if (values.output === '') throw new UsageError('--output: expected a path')
  const verify = readVerify(values.verify)
  const client = openIpfs(values, io.env, verify)
  const { output, force, json } = values
  return runCall({ name: 'get', io, json }, async (signal) => {
    const bar = createProgressBar(io.process.stderr, !json)
    try {
      const onBytes = bar.show
      const written = await writeEntries(client.get(path, { signal }), { output, force, onBytes, signal })
      bar.clear()
      const { path: target, files, bytes } = written
      const counted = files === 1 ? sizeText(bytes) : `${files} files, ${sizeText(bytes)}`
      io.stdout(json ? jsonLine({ path: target, files, bytes }) : `saved ${oneLine(target)} (${counted})\n`)
      if (written.links > 0) {
        io.stderr(`careful: ${written.links} of its symlinks may lead out of it: look before you follow them\n`)
      }
      reportUnverified(io, written.verification, verify)
    } finally {
      bar.clear()
    }
  })
}
