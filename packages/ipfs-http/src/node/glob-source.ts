import { createReadStream, type Stats } from 'node:fs'
import { lstat, readdir, readlink } from 'node:fs/promises'
import { basename, posix, resolve } from 'node:path'
import type { IpfsUpload } from '../client/client.ts'
import { IpfsError } from '../error.ts'

export interface GlobSourceOptions {
  /** Whether names that begin with a dot are taken, and what is below them. Default false. */
  readonly hidden?: boolean | undefined
  /** Whether permission bits, or times of modification, become part of the content. Default false. */
  readonly preserveMode?: boolean | undefined
  readonly preserveMtime?: boolean | undefined
}

/**
 * What lies below a folder, for `addAll`: files, directories and symlinks, which are not followed. Names are sorted,
 * and each directory comes before what it holds. `pattern` is matched against paths below the folder, as by
 * `path.matchesGlob` of Node; what does not match is left out, directories are then those on the way to what does.
 * @throws IpfsError `bad_argument` where `folder` is none
 */
export async function* globSource(
  folder: string,
  pattern = '**/*',
  options: GlobSourceOptions = {},
): AsyncGenerator<IpfsUpload> {
  const stats = await lstat(folder).catch(() => undefined)
  if (!stats?.isDirectory()) throw new IpfsError('bad_argument', `expected a folder: ${folder}`)
  const matches = pattern === '**/*' ? undefined : (path: string): boolean => posix.matchesGlob(path, pattern)
  yield* below(resolve(folder), '', matches, options)
}

/** One file under its name, for `add` and `addAll`. @throws IpfsError `bad_argument` where there is none */
export async function fileSource(
  path: string,
  options: Pick<GlobSourceOptions, 'preserveMode' | 'preserveMtime'> = {},
): Promise<IpfsUpload> {
  const stats = await lstat(path).catch(() => undefined)
  if (!stats?.isFile()) throw new IpfsError('bad_argument', `expected a file: ${path}`)
  return { path: basename(path), content: readLazily(path), ...metadataOf(stats, options) }
}

async function* below(
  folder: string,
  prefix: string,
  matches: ((path: string) => boolean) | undefined,
  options: GlobSourceOptions,
): AsyncGenerator<IpfsUpload> {
  const names = (await readdir(folder)).filter((name) => options.hidden || !name.startsWith('.')).toSorted()
  for (const name of names) {
    const full = resolve(folder, name)
    const path = prefix === '' ? name : `${prefix}/${name}`
    const stats = await lstat(full)
    const isMatch = matches === undefined || matches(path)
    const metadata = metadataOf(stats, options)
    if (stats.isDirectory()) {
      if (isMatch) yield { path, ...metadata }
      yield* below(full, path, matches, options)
    } else if (!isMatch) continue
    else if (stats.isSymbolicLink()) yield { path, target: await readlink(full), ...metadata }
    else if (stats.isFile()) yield { path, content: readLazily(full), ...metadata }
  }
}

/** A stream that opens the file when it is read, so that no more than one is open at a time. */
function readLazily(path: string): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => createReadStream(path, { highWaterMark: 1 << 16 })[Symbol.asyncIterator]() }
}

function metadataOf(
  stats: Stats,
  { preserveMode, preserveMtime }: GlobSourceOptions,
): Pick<IpfsUpload, 'mode' | 'mtime'> {
  const secs = Math.floor(stats.mtimeMs / 1000)
  return {
    mode: preserveMode ? stats.mode & 0o7777 : undefined,
    mtime: preserveMtime ? { secs: BigInt(secs), nsecs: Math.floor((stats.mtimeMs - secs * 1000) * 1e6) } : undefined,
  }
}
