import { type BigIntStats, constants } from 'node:fs'
import { lstat, open, readdir, readlink, realpath, stat } from 'node:fs/promises'
import { basename, posix, resolve } from 'node:path'
import { throwIfAborted } from '../abortable.ts'
import type { IpfsSource, IpfsUpload } from '../client/client.ts'
import { IpfsError } from '../error.ts'
import { diskError } from '../disk-error.ts'

export interface GlobSourceOptions {
  /** Whether names that begin with a dot are taken, with everything below them. Default false. */
  readonly hidden?: boolean | undefined
  /** Whether permission bits, or times of modification, become part of the content. Default false. */
  readonly preserveMode?: boolean | undefined
  readonly preserveMtime?: boolean | undefined
  /** Whether directories below the folder in which nothing is listed are taken. Default true. */
  readonly emptyDirs?: boolean | undefined
  /** Whether symlinks are followed, so that what they point to takes their place. Default false. */
  readonly dereferenceSymlinks?: boolean | undefined
}

/**
 * Lists the files, directories and symlinks below a folder, for `addAll`. Names are sorted, and each directory comes before its members. `pattern` is matched against paths below the folder, as by
 * `path.matchesGlob` of Node. Entries that do not match are left out, and directories are then implied by the paths that do.
 * Pipes, sockets and devices are left out. An entry that is gone by the time it is read is an error. `totals` opens no file.
 * @throws IpfsError `bad_argument` if `folder` is none or a followed symlink leads back to a directory above it, `storage` if something cannot be read: when it is listed
 */
export function globSource(folder: string, pattern = '**/*', options: GlobSourceOptions = {}): IpfsSource {
  const matches = pattern === '**/*' ? undefined : (path: string): boolean => posix.matchesGlob(path, pattern)
  async function* list(): AsyncGenerator<IpfsUpload> {
    const stats = await stat(folder).catch(() => undefined)
    if (!stats?.isDirectory()) throw new IpfsError('bad_argument', `expected a folder: ${folder}`)
    yield* below(resolve(folder), '', matches, options, [await realpath(folder)])
  }
  return {
    [Symbol.asyncIterator]: list,
    async totals({ signal } = {}) {
      let [files, entries, bytes] = [0, 0, 0]
      for await (const { content, size = 0 } of list()) {
        if (signal !== undefined) throwIfAborted(signal)
        entries++
        if (content === undefined) continue
        files++
        bytes += size
      }
      return { files, entries, bytes }
    },
  }
}

/** Reads one file under its name, for `add` and `addAll`. @throws IpfsError `bad_argument` if there is none */
export async function fileSource(
  path: string,
  options: Pick<GlobSourceOptions, 'preserveMode' | 'preserveMtime'> = {},
): Promise<IpfsUpload> {
  const stats = await lstat(path, { bigint: true }).catch(() => undefined)
  if (!stats?.isFile()) throw new IpfsError('bad_argument', `expected a file: ${path}`)
  return { path: basename(path), content: readLazily(path), size: Number(stats.size), ...metadataOf(stats, options) }
}

async function* below(
  folder: string,
  prefix: string,
  matches: ((path: string) => boolean) | undefined,
  options: GlobSourceOptions,
  above: readonly string[],
): AsyncGenerator<IpfsUpload> {
  for (const name of await namesIn(folder, options)) {
    const full = resolve(folder, name)
    const path = prefix === '' ? name : `${prefix}/${name}`
    const look = options.dereferenceSymlinks ? stat : lstat
    const stats = await read(full, (at) => look(at, { bigint: true }))
    const isMatch = matches === undefined || matches(path)
    const metadata = metadataOf(stats, options)
    if (stats.isDirectory()) {
      const real = options.dereferenceSymlinks ? await realpath(full) : full
      if (above.includes(real)) throw new IpfsError('bad_argument', `${full} is a symlink to a directory above it`)
      const isTaken = isMatch && (options.emptyDirs !== false || (await namesIn(full, options)).length > 0)
      if (isTaken) yield { path, ...metadata }
      yield* below(full, path, matches, options, [...above, real])
    } else if (!isMatch) continue
    else if (stats.isSymbolicLink()) yield { path, target: await read(full, (at) => readlink(at)), ...metadata }
    else if (stats.isFile()) yield { path, content: readLazily(full), size: Number(stats.size), ...metadata }
  }
}

async function namesIn(folder: string, { hidden }: GlobSourceOptions): Promise<readonly string[]> {
  const names = await read(folder, (at) => readdir(at))
  return names.filter((name) => hidden || !name.startsWith('.')).toSorted()
}

/** Does not block: if a pipe came in place of the file, opening it would wait for a writer. Windows has no such flag. */
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** Makes a stream that opens the file when it is read, so that no more than one is open at a time. */
function readLazily(path: string): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => bytesOf(path) }
}

async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  const file = await read(path, (at) => open(at, flags))
  try {
    if (!(await file.stat()).isFile()) throw new IpfsError('storage', `${path} is no file any more`)
    for (;;) {
      // New memory for each piece: earlier ones may still be on their way.
      const piece = Buffer.allocUnsafeSlow(1 << 16)
      const { bytesRead } = await read(path, () => file.read(piece))
      if (bytesRead === 0) return
      yield piece.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

async function read<T>(path: string, work: (path: string) => Promise<T>): Promise<T> {
  try {
    return await work(path)
  } catch (cause) {
    // Node puts this character for bytes that are no UTF-8.
    if (path.includes('\uFFFD'))
      throw new IpfsError('storage', `${path} cannot be read: rename it, in UTF-8`, { cause })
    throw diskError(cause, `${path} cannot be read`)
  }
}

/** Reads times in nanoseconds: in milliseconds, they would change the CID. */
function metadataOf(
  { mode, mtimeNs }: BigIntStats,
  { preserveMode, preserveMtime }: GlobSourceOptions,
): Pick<IpfsUpload, 'mode' | 'mtime'> {
  const nsecs = ((mtimeNs % second) + second) % second
  return {
    mode: preserveMode ? Number(mode) & 0o7777 : undefined,
    mtime: preserveMtime ? { secs: (mtimeNs - nsecs) / second, nsecs: Number(nsecs) } : undefined,
  }
}

/** One second in nanoseconds. */
const second = 1_000_000_000n
