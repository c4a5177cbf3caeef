import type { CID } from 'multiformats/cid'
import type { ByteStream, IpfsPath } from '../../backend.ts'
import { codecCodes } from '../../codecs.ts'
import { IpfsError } from '../../error.ts'
import type { BlockSource } from '../../unixfs/block-source.ts'
import { cutFile } from './cat-file.ts'
import { directoryEntries } from '../../unixfs/directory-entries.ts'
import { type FileNode, openFileBlock, openFileNode } from '../../unixfs/file-node.ts'
import { loadBlock } from '../../unixfs/load-block.ts'
import { type PbNode, parsePb } from '../../unixfs/pb-node.ts'
import { resolvePath } from './resolve-path.ts'
import { tarBlock, type TarEntry, tarHeader, tarPadding } from './tar-header.ts'
import { requireUnixFs, type UnixFsData } from '../../unixfs/unixfs-data.ts'

type Opened =
  | { readonly type: 'directory'; readonly node: PbNode; readonly data: UnixFsData }
  | { readonly type: 'symlink'; readonly data: UnixFsData }
  | { readonly type: 'file'; readonly file: FileNode; readonly data: UnixFsData | undefined }

/** Modes of entries that kept none. Source: Kubo. */
const modes = { file: 0o644, directory: 0o755, symlink: 0o777 } as const
const mostDepth = 512
const mostPath = 64 * 1024

/**
 * Writes a file, directory or symlink as a tar archive whose root is named `name`. Times that were not kept become
 * `unknownMtime`, in seconds since the Unix epoch. The stream ends before a name that could leave the root (`..`, or with
 * `/` or `\` in it), that is empty, or that comes twice in a directory.
 *
 * @throws IpfsError `not_found`, `bad_content`, `unsupported`, `bad_argument` (the name), `aborted`
 */
export async function tarOf(
  source: BlockSource,
  path: IpfsPath,
  name: string,
  signal: AbortSignal,
  unknownMtime = 0n,
): Promise<ByteStream> {
  if (!isSafe(name)) throw new IpfsError('bad_argument', `expected a file name for the archive, came "${name}"`)
  const { cid, remainder } = await resolvePath(source, path, signal)
  if (remainder.length > 0) {
    throw new IpfsError('unsupported', `unknown node type: expected a file or directory, came a value inside ${cid}`)
  }
  const root = openBlock(cid, await loadBlock(source, cid, signal))
  return archive(source, root, name, signal, unknownMtime)
}

async function* archive(
  source: BlockSource,
  root: Opened,
  name: string,
  signal: AbortSignal,
  unknownMtime: bigint,
): AsyncGenerator<Uint8Array> {
  const iterations: { readonly path: string; readonly entries: ReturnType<typeof directoryEntries> }[] = []
  let next: { readonly path: string; readonly opened: Opened } | undefined = { path: name, opened: root }
  while (next !== undefined) {
    const { path, opened } = next
    yield headerOf(path, opened, unknownMtime)
    if (opened.type === 'file') {
      yield* cutFile(source, opened.file, { offset: 0n, length: undefined }, signal).bytes
      yield tarPadding(opened.file.size)
    } else if (opened.type === 'directory') {
      if (iterations.length === mostDepth) {
        throw new IpfsError('too_large', `expected directories at most ${mostDepth} deep, at ${opened.node.cid}`)
      }
      iterations.push({ path, entries: directoryEntries(source, opened.node, opened.data, signal) })
    }
    next = undefined
    for (let top = iterations.at(-1); top !== undefined && next === undefined; top = iterations.at(-1)) {
      const { done, value } = await top.entries.next()
      if (done === true) {
        iterations.pop()
        continue
      }
      const below = `${top.path}/${value.name}`
      if (!isSafe(value.name) || below.length > mostPath) {
        throw new IpfsError(
          'bad_content',
          `an entry ${JSON.stringify(value.name.slice(0, 256))} cannot be in an archive`,
        )
      }
      next = { path: below, opened: openBlock(value.cid, await loadBlock(source, value.cid, signal)) }
    }
  }
  yield new Uint8Array(2 * tarBlock)
}

function openBlock(cid: CID, bytes: Uint8Array): Opened {
  if (cid.code !== codecCodes.dagPb) return { type: 'file', file: openFileBlock(cid, bytes), data: undefined }
  const node = parsePb(cid, bytes)
  const data = requireUnixFs(node)
  if (data.type === 'directory' || data.type === 'shard') return { type: 'directory', node, data }
  if (data.type === 'symlink') return { type: 'symlink', data }
  return { type: 'file', file: openFileNode(node, data), data }
}

function headerOf(path: string, opened: Opened, unknownMtime: bigint): Uint8Array {
  const { type, data } = opened
  const entry: TarEntry = {
    type,
    path,
    // As in Kubo, a mode of 0 is none.
    mode: data?.mode || modes[type],
    mtime: data?.mtime ?? { secs: unknownMtime, nsecs: 0 },
    size: opened.type === 'file' ? opened.file.size : 0n,
  }
  if (opened.type !== 'symlink') return tarHeader(entry)
  const target = new TextDecoder().decode(opened.data.data)
  if (target === '' || target.length > mostPath || target.includes('\0')) {
    throw new IpfsError('bad_content', `the target of symlink ${JSON.stringify(path)} is no path`)
  }
  return tarHeader({ ...entry, target })
}

function isSafe(name: string): boolean {
  // On Windows, a backslash divides a path like a slash.
  return !['', '.', '..'].includes(name) && !['/', '\\', '\0'].some((each) => name.includes(each))
}
