import { createReadStream } from 'node:fs'
import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import type { IpfsUpload } from '@wayleave/ipfs-http'
import { fileSource, globSource } from '@wayleave/ipfs-http/node'
import { UsageError } from '../command.ts'

export interface UploadOptions {
  readonly recursive: boolean
  readonly hidden: boolean
  readonly preserveMode: boolean
  readonly preserveMtime: boolean
}

/** One FILE of the command line. */
export interface Upload {
  /** Empty for stdin. */
  readonly name: string
  /** Counts the bytes of content; undefined if the count is not known in advance. */
  size(): Promise<number | undefined>
  entries(): AsyncIterable<IpfsUpload>
}

/**
 * Opens a FILE of the command line. `-` is stdin; a symlink is followed here, but not within directories.
 * @throws UsageError for a directory without `recursive`; the error of the file system if it cannot be read
 */
export async function openUpload(
  file: string,
  stdin: AsyncIterable<Uint8Array>,
  options: UploadOptions,
): Promise<Upload> {
  if (file === '-') {
    return { name: '', size: async () => undefined, entries: () => only({ path: '', content: stdin }) }
  }
  const stats = await stat(file)
  const name = basename(resolve(file))
  if (stats.isDirectory()) {
    if (!options.recursive) throw new UsageError(`"${file}" is a directory: -r adds it, with all that is below it`)
    if (name === '') throw new UsageError(`"${file}" has no name: add what is in it`)
    const path = await realpath(file)
    return { name, size: () => sizeBelow(path, options.hidden), entries: () => tree(path, name, options) }
  }
  if (stats.isFile()) {
    const path = await realpath(file)
    const open = async (): Promise<IpfsUpload> => ({ ...(await fileSource(path, options)), path: name })
    return { name, size: async () => stats.size, entries: () => only(open()) }
  }
  // A pipe, such as that of `<(…)`, has no useful name.
  if (!stats.isFIFO()) throw new UsageError(`"${file}" is neither a file nor a directory`)
  return {
    name: '',
    size: async () => undefined,
    entries: () => only({ path: '', content: createReadStream(file) as AsyncIterable<Uint8Array> }),
  }
}

async function* only(entry: IpfsUpload | Promise<IpfsUpload>): AsyncGenerator<IpfsUpload> {
  yield await entry
}

/** Yields a directory and everything below it, under its own name. */
async function* tree(path: string, name: string, options: UploadOptions): AsyncGenerator<IpfsUpload> {
  const { mode, mtimeNs } = await lstat(path, { bigint: true })
  const nsecs = ((mtimeNs % second) + second) % second
  yield {
    path: name,
    ...(options.preserveMode && { mode: Number(mode) & 0o7777 }),
    ...(options.preserveMtime && { mtime: { secs: (mtimeNs - nsecs) / second, nsecs: Number(nsecs) } }),
  }
  for await (const entry of globSource(path, '**/*', options)) yield { ...entry, path: `${name}/${entry.path}` }
}

/** A second in nanoseconds. */
const second = 1_000_000_000n

async function sizeBelow(folder: string, hidden: boolean): Promise<number> {
  let bytes = 0
  for (const each of await readdir(folder, { withFileTypes: true })) {
    if (!hidden && each.name.startsWith('.')) continue
    const path = join(folder, each.name)
    if (each.isDirectory()) bytes += await sizeBelow(path, hidden)
    else if (each.isFile()) bytes += (await lstat(path)).size
  }
  return bytes
}
