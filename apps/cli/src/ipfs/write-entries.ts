import { chmod, lstat, lutimes, mkdir, mkdtemp, open, realpath, rename, rm, symlink } from 'node:fs/promises'
import { dirname, isAbsolute, join, posix, resolve } from 'node:path'
import { type IpfsEntry, IpfsError, type Verification } from '@wayleave/ipfs-http'

export interface WriteOptions {
  /** The target path. Undefined: the name of the first entry, in the working directory. */
  readonly output: string | undefined
  /** Whether a file of that name is replaced. */
  readonly force: boolean
  /** Called with the bytes written so far, and the total, which is known for a lone file only. */
  readonly onBytes: (bytes: number, total: number | undefined) => void
  readonly signal: AbortSignal
}

export interface Written {
  readonly path: string
  readonly files: number
  readonly bytes: number
  /** The count of symlinks that lead out of the target. */
  readonly links: number
  /** The weakest verification of all entries. */
  readonly verification: Verification
}

/**
 * Writes the entries of `IpfsClient.get`. They are written into a new folder beside the target, where nobody else can have
 * put a link, and moved when all have come; a failure leaves nothing. Every path is checked again here.
 * @throws IpfsError `bad_argument` if the target exists already, `bad_content` for a path that would lead elsewhere
 */
export async function writeEntries(entries: AsyncIterable<IpfsEntry>, options: WriteOptions): Promise<Written> {
  const { onBytes, signal } = options
  let place: Place | undefined
  let [files, bytes, links] = [0, 0, 0]
  let verification: Verification = 'proven'
  // Incomplete directories, each within the one before. Their time is set last, as writing into them changes it.
  const times: { readonly path: string; readonly entry: IpfsEntry }[] = []
  // Directories that their owner may not write to. Their mode is set last, so that they can be filled, or removed on failure.
  const locked: { readonly below: readonly string[]; readonly mode: number }[] = []
  try {
    for await (const entry of entries) {
      signal.throwIfAborted()
      const [root, ...below] = segmentsOf(entry.path)
      place ??= await makePlace(root!, options)
      if (root !== place.root || (below.length === 0) === place.isBegun) throw unsafe(entry.path)
      place.isBegun = true
      const path = join(place.content, ...below)
      // Refuses a path through an earlier symlink.
      const folder = dirname(path)
      if (below.length > 0 && (await realpath(folder).catch(() => '')) !== folder) throw unsafe(entry.path)
      while (times.length > 0 && !path.startsWith(join(times.at(-1)!.path, '/'))) await setTime(times.pop()!)
      if (entry.verification === 'unverified') verification = 'unverified'
      else if (entry.verification === 'consistent' && verification === 'proven') verification = 'consistent'
      await make(path, entry, (more) => onBytes((bytes += more), below.length === 0 ? entry.size : undefined))
      if (entry.type === 'directory') times.push({ path, entry })
      else await setTime({ path, entry })
      const mode = entry.mode ?? 0o700
      if (entry.type === 'directory' && (mode & 0o700) !== 0o700) locked.push({ below, mode: mode & 0o777 })
      if (entry.type === 'file') files++
      if (entry.type === 'symlink' && leads(entry.target!, below)) links++
    }
    while (times.length > 0) await setTime(times.pop()!)
    if (place === undefined) throw new IpfsError('truncated', 'the host told of nothing: retry')
    await refuseTaken(place.target, options.force)
    // A rename replaces a file atomically. A directory cannot replace a file, so that is removed first.
    if (options.force && (await lstat(place.content)).isDirectory()) await rm(place.target, { force: true })
    await rename(place.content, place.target)
    for (const { below, mode } of locked.toReversed()) await chmod(join(place.target, ...below), mode)
    return { path: place.shown, files, bytes, links, verification }
  } finally {
    if (place !== undefined) await rm(place.folder, { recursive: true, force: true })
  }
}

interface Place {
  /** The first segment of every path. */
  readonly root: string
  readonly target: string
  /** The target as the user wrote it. */
  readonly shown: string
  /** The new folder beside the target. */
  readonly folder: string
  /** The path in that folder where the content is written. */
  readonly content: string
  isBegun: boolean
}

async function makePlace(root: string, { output, force }: WriteOptions): Promise<Place> {
  const shown = output ?? root
  const target = resolve(shown)
  await refuseTaken(target, force)
  const folder = await mkdtemp(join(await realpath(dirname(target)), '.wayleave-'))
  return { root, target, shown, folder, content: join(folder, 'content'), isBegun: false }
}

async function refuseTaken(target: string, force: boolean): Promise<void> {
  const stats = await lstat(target).catch(() => undefined)
  if (stats === undefined) return
  if (stats.isDirectory()) throw taken(target, 'remove it, or choose another name with -o')
  if (!force) throw taken(target, '--force replaces it, -o chooses another name')
}

function taken(target: string, advice: string): IpfsError {
  return new IpfsError('bad_argument', `${target} is there already: ${advice}`)
}

/** @throws IpfsError `bad_content` */
function segmentsOf(path: string): readonly string[] {
  const segments = path.split('/')
  const isUnsafe = (name: string): boolean => /^\.{0,2}$/.test(name) || /[\\\0]/.test(name)
  if (segments.some(isUnsafe)) throw unsafe(path)
  return segments
}

function unsafe(path: string): IpfsError {
  return new IpfsError('bad_content', `the content holds a name that is not safe to write: ${JSON.stringify(path)}`)
}

/** Tells whether the symlink at these segments points out of the target. */
function leads(target: string, below: readonly string[]): boolean {
  return isAbsolute(target) || /^\.\.(?:\/|$)/.test(posix.join(...below.slice(0, -1), target)) || below.length === 0
}

/** Writes one entry, whose path must be new. @throws IpfsError `bad_content` if it exists */
async function make(path: string, entry: IpfsEntry, onBytes: (more: number) => void): Promise<void> {
  const { type, mode, content } = entry
  try {
    if (type === 'symlink') return await symlink(entry.target!, path)
    if (type === 'directory') {
      await mkdir(path)
      // The owner keeps all rights while the directory is filled.
      if (mode !== undefined) await chmod(path, (mode & 0o777) | 0o700)
      return
    }
    await using file = await open(path, 'wx')
    for await (const chunk of content) {
      await file.writeFile(chunk)
      onBytes(chunk.byteLength)
    }
    if (mode !== undefined) await file.chmod(mode & 0o777)
  } catch (thrown) {
    const { code = '' } = thrown as NodeJS.ErrnoException
    throw /^(?:EEXIST|ENOTDIR)$/.test(code) ? unsafe(entry.path) : thrown
  }
}

async function setTime({
  path,
  entry: { mtime },
}: {
  readonly path: string
  readonly entry: IpfsEntry
}): Promise<void> {
  if (mtime === undefined) return
  const seconds = Number(mtime.secs) + (mtime.nsecs ?? 0) / 1e9
  // Node takes a negative number for the current time.
  // oxlint-disable-next-line no-restricted-globals -- reads no clock
  const time = seconds < 0 ? new Date(seconds * 1_000) : seconds
  await lutimes(path, time, time)
}
