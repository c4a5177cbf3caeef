import type { IpfsAdded, IpfsSource, IpfsUpload, UnixFsProfile } from '@wayleave/ipfs-http'
import { type CommandIo, UsageError } from '../command.ts'
import { oneLine } from '../output/visible.ts'
import { ipfsFlags, limitFlags, openIpfs, readIpfsArgs, readVerify, verifyFlag } from './flags.ts'
import { jsonLine } from './json-line.ts'
import { createProgressBar } from './progress.ts'
import { runCall } from './run-call.ts'
import { chain, isSource, openUpload, type Upload } from './uploads.ts'
import { switchFlags } from '../read-args.ts'
import { suggest } from '../suggest.ts'

const flags = {
  ...ipfsFlags,
  ...verifyFlag,
  recursive: { type: 'boolean', short: 'r', default: false },
  'wrap-with-directory': { type: 'boolean', short: 'w', default: false },
  quiet: { type: 'boolean', short: 'q', default: false },
  quieter: { type: 'boolean', short: 'Q', default: false },
  'only-hash': { type: 'boolean', short: 'n', default: false },
  profile: { type: 'string' },
  'cid-version': { type: 'string' },
  'raw-leaves': { type: 'boolean' },
  chunker: { type: 'string', short: 's' },
  ...switchFlags('hidden', 'preserve-mode', 'preserve-mtime', 'dereference-symlinks'),
  'empty-dirs': { type: 'boolean', short: 'E', default: true },
  pin: { type: 'boolean', default: true },
  'pin-name': { type: 'string' },
  ...limitFlags,
} as const

const profiles = ['unixfs-v0-2015', 'unixfs-v1-2025'] as const satisfies readonly UnixFsProfile[]

/** Runs `wayleave ipfs add`. Resolves with the exit code. */
export async function add(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals: files } = readIpfsArgs(args, flags)
  if (files.length === 0) throw new UsageError('expected a FILE, or - for stdin')
  if (files.indexOf('-') !== files.lastIndexOf('-')) throw new UsageError('stdin (-) can be added once only')
  const { 'cid-version': version } = values
  const profile = profiles.find((known) => known === values.profile)
  if (profile !== values.profile) {
    const given = values.profile ?? ''
    throw new UsageError(`--profile: expected ${profiles.join(' or ')}, got "${given}"${suggest(given, profiles)}`)
  }
  if (version !== undefined && !/^[01]$/.test(version)) {
    throw new UsageError(`--cid-version: expected 0 or 1, got "${version}"`)
  }
  const verify = readVerify(values.verify)
  const client = openIpfs(values, io.env, verify)
  const { 'wrap-with-directory': isWrapped, 'preserve-mode': preserveMode, 'preserve-mtime': preserveMtime } = values
  const { recursive, hidden, json, quiet, quieter } = values
  const options = {
    profile,
    cidVersion: version === undefined ? undefined : version === '1' ? (1 as const) : (0 as const),
    // Raw blocks cannot hold modes and times.
    rawLeaves: values['raw-leaves'] ?? (preserveMode || preserveMtime ? false : undefined),
    chunker: values.chunker,
    onlyHash: values['only-hash'],
    pin: values.pin,
    pinName: values['pin-name'],
    wrapWithDirectory: isWrapped,
    preserveMode,
    preserveMtime,
  }

  return runCall({ name: 'add', io, json }, async (signal) => {
    const { 'empty-dirs': emptyDirs, 'dereference-symlinks': dereferenceSymlinks } = values
    const opening = { recursive, hidden, preserveMode, preserveMtime, emptyDirs, dereferenceSymlinks }
    const uploads: Upload[] = []
    // All files are opened before the first is sent.
    for (const file of files) uploads.push(await openUpload(file, io.process.stdin, opening))
    const isShown = io.process.stderr.isTTY === true && !json && !quiet && !quieter
    const total = isShown ? await bytesOf(uploads, signal) : undefined
    const bar = createProgressBar(io.process.stderr, isShown)
    let [before, count, unverified] = [0, 0, 0]
    try {
      for (const entries of requestsOf(uploads, isWrapped)) {
        let sent = 0
        let last: IpfsAdded | undefined
        const onProgress = (bytes: number): void => bar.show(before + (sent = bytes), total)
        for await (const added of client.addAll(entries, { ...options, signal, onProgress })) {
          last = added
          count++
          if (added.verification === 'unverified') unverified++
          if (quieter) continue
          bar.clear()
          io.stdout(json ? jsonOf(added) : quiet ? `${added.cid}\n` : textLine(added))
        }
        bar.clear()
        before += sent
        if (quieter && last !== undefined) io.stdout(json ? jsonOf(last) : `${last.cid}\n`)
      }
    } finally {
      bar.clear()
    }
    if (unverified > 0 && verify !== 'off') {
      io.stderr(
        `unverified: ${unverified} of ${count} CIDs could not be computed here, so they are what the host says\n`,
      )
    }
  })
}

/** Makes an upload of each FILE, so that each has its own root and pin; with `isWrapped`, one of all. */
function requestsOf(
  uploads: readonly Upload[],
  isWrapped: boolean,
): readonly (AsyncIterable<IpfsUpload> | IpfsSource)[] {
  if (!isWrapped) return uploads.map(({ entries }) => entries)
  const names = uploads.map(({ name }) => name)
  const twice = names.find((name, at) => name !== '' && names.indexOf(name) !== at)
  if (twice !== undefined) throw new UsageError(`-w: two of them are called "${twice}"`)
  return [chain(uploads)]
}

/** Counts the bytes of all uploads; undefined if one does not tell. */
async function bytesOf(uploads: readonly Upload[], signal: AbortSignal): Promise<number | undefined> {
  const all = chain(uploads)
  return isSource(all) ? (await all.totals({ signal })).bytes : undefined
}

function textLine({ cid, path }: IpfsAdded): string {
  return `added ${oneLine(cid)} ${oneLine(path)}`.trimEnd() + '\n'
}

/** Prints a line of JSON. The seconds become a number, as JSON has no bigint. */
function jsonOf({ mtime, ...added }: IpfsAdded): string {
  return jsonLine({ ...added, ...(mtime && { mtime: { ...mtime, secs: Number(mtime.secs) } }) })
}
