import { createReadStream } from 'node:fs'
import { lstat, realpath, stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { IpfsSource, IpfsTotals, IpfsUpload } from '@wayleave/ipfs-http'
import { fileSource, globSource } from '@wayleave/ipfs-http/node'
import { UsageError } from '../command.ts'

export interface UploadOptions {
  readonly recursive: boolean
  readonly hidden: boolean
  readonly preserveMode: boolean
  readonly preserveMtime: boolean
  readonly emptyDirs: boolean
  readonly dereferenceSymlinks: boolean
}

/** One FILE of the command line. */
export interface Upload {
  /** Empty for stdin. */
  readonly name: string
  /** Its entries; with totals, unless it is stdin or a pipe. */
  readonly entries: AsyncIterable<IpfsUpload> | IpfsSource
}

/**
 * Opens a FILE of the command line. `-` is stdin; a symlink is followed here, within directories only if the options say so.
 * @throws UsageError for a directory without `recursive`; the error of the file system if it cannot be read
 */
export async function openUpload(
  file: string,
  stdin: AsyncIterable<Uint8Array>,
  options: UploadOptions,
): Promise<Upload> {
  if (file === '-') {
    return { name: '', entries: only({ path: '', content: stdin }) }
  }
  const stats = await stat(file)
  const name = basename(resolve(file))
  if (stats.isDirectory()) {
    if (!options.recursive) throw new UsageError(`"${file}" is a directory: -r adds it, with all that is below it`)
    if (name === '') throw new UsageError(`"${file}" has no name: add what is in it`)
    const path = await realpath(file)
    return { name, entries: tree(path, name, options) }
  }
  if (stats.isFile()) {
    const path = await realpath(file)
    const open = async (): Promise<IpfsUpload> => ({ ...(await fileSource(path, options)), path: name })
    const totals = { files: 1, entries: 1, bytes: stats.size }
    return { name, entries: { [Symbol.asyncIterator]: () => only(open()), totals: async () => totals } }
  }
  // A pipe, such as that of `<(…)`, has no useful name.
  if (!stats.isFIFO()) throw new UsageError(`"${file}" is neither a file nor a directory`)
  return { name: '', entries: only({ path: '', content: createReadStream(file) as AsyncIterable<Uint8Array> }) }
}

/** Chains uploads. The chain has totals if all of them have. */
export function chain(uploads: readonly Upload[]): AsyncIterable<IpfsUpload> | IpfsSource {
  async function* list(): AsyncGenerator<IpfsUpload> {
    for (const { entries } of uploads) yield* entries
  }
  const sources = uploads.map(({ entries }) => entries).filter(isSource)
  if (sources.length < uploads.length) return list()
  return { [Symbol.asyncIterator]: list, totals: (options) => sumOf(sources, options) }
}

/** Whether entries can be counted before they are read. */
export function isSource(entries: AsyncIterable<IpfsUpload> | IpfsSource): entries is IpfsSource {
  return 'totals' in entries
}

async function sumOf(
  sources: readonly IpfsSource[],
  options: Parameters<IpfsSource['totals']>[0],
): Promise<IpfsTotals> {
  const sum = { files: 0, entries: 0, bytes: 0 }
  for (const source of sources) {
    const { files, entries, bytes } = await source.totals(options)
    sum.files += files
    sum.entries += entries
    sum.bytes += bytes
  }
  return sum
}

async function* only(entry: IpfsUpload | Promise<IpfsUpload>): AsyncGenerator<IpfsUpload> {
  yield await entry
}

/** Lists a directory and everything below it, under its own name. */
function tree(path: string, name: string, options: UploadOptions): IpfsSource {
  const below = globSource(path, '**/*', options)
  async function* list(): AsyncGenerator<IpfsUpload> {
    const { mode, mtimeNs } = await lstat(path, { bigint: true })
    const nsecs = ((mtimeNs % second) + second) % second
    yield {
      path: name,
      ...(options.preserveMode && { mode: Number(mode) & 0o7777 }),
      ...(options.preserveMtime && { mtime: { secs: (mtimeNs - nsecs) / second, nsecs: Number(nsecs) } }),
    }
    for await (const entry of below) yield { ...entry, path: `${name}/${entry.path}` }
  }
  return {
    [Symbol.asyncIterator]: list,
    async totals(given) {
      const totals = await below.totals(given)
      return { ...totals, entries: totals.entries + 1 }
    },
  }
}

/** A second in nanoseconds. */
const second = 1_000_000_000n
