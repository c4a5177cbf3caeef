import type { BlockWriter } from '../../unixfs/add-blocks.ts'
import { writeSymlink } from '../../unixfs/add-directory.ts'
import { writeFile } from '../../unixfs/add-file.ts'
import type { BuildOptions } from '../../unixfs/add-options.ts'
import {
  createUpload,
  isTree,
  type Tree,
  type Upload,
  type WrittenDirectory,
  writeTree,
} from '../../unixfs/add-tree.ts'
import type { Metadata } from '../../unixfs/add-unixfs.ts'
import { parseChunker } from '../../unixfs/chunkers.ts'
import { withProfile } from '../../unixfs/profile.ts'
import type { IpfsAddOptions } from '../client.ts'
import type { NamedUpload } from '../upload-parts.ts'

/** An entry of an upload, and its bytes. */
export interface UploadEntry {
  readonly upload: NamedUpload
  readonly content: AsyncIterable<Uint8Array>
}

const sha2256 = 0x12

/** Whether the DAG of an upload with these options can be built here. */
export function canBuild({ hash = 'sha2-256', inline }: IpfsAddOptions): boolean {
  return hash === 'sha2-256' && !inline
}

/**
 * Builds the DAG of an upload as hosts do. Yields the entries that an answer names: files and symlinks as they come, then
 * directories, members first.
 * @throws IpfsError `bad_argument` for a chunker that does not exist, or a path that comes again with other content
 */
export async function* buildUpload(
  entries: AsyncIterable<UploadEntry>,
  options: IpfsAddOptions,
  blocks: BlockWriter,
): AsyncGenerator<WrittenDirectory> {
  const { top } = yield* buildFiles(entries, options, blocks)
  const trees = [...top.children].filter((entry): entry is [string, Tree] => isTree(entry[1]))
  for (const [path, below] of options.wrapWithDirectory ? [['', top] as const] : trees) {
    yield* writeTree(path, below, { ...withProfile(options), emptyDirs: true }, blocks)
  }
}

/** Builds the files and symlinks of an upload. Returns its directories, which are not built yet. @throws IpfsError as {@link buildUpload} */
export async function* buildFiles(
  entries: AsyncIterable<UploadEntry>,
  options: IpfsAddOptions,
  blocks: BlockWriter,
): AsyncGenerator<WrittenDirectory, Upload> {
  const build = buildOptionsOf(options)
  const tree = createUpload()
  for await (const { upload, content } of entries) {
    const { path, type, target, mode } = upload
    const metadata = { mode: mode && mode & 0o7777, mtime: timeOf(upload, options) }
    if (type === 'directory') {
      tree.makeDirectory(path, metadata)
      continue
    }
    const link =
      type === 'symlink'
        ? await writeSymlink(target!, metadata, blocks)
        : await writeFile(content, metadata, build, blocks)
    const name = path === '' ? link.cid.toString() : path
    tree.put(name, link)
    yield { path: name, link, metadata }
  }
  return tree
}

/** Returns the time of an entry. If times are kept, one with a mode and no time has the epoch, as in Kubo. */
function timeOf({ mode, mtime }: NamedUpload, { preserveMtime }: IpfsAddOptions): Metadata['mtime'] {
  if (mtime !== undefined) return { secs: mtime.secs, nsecs: mtime.nsecs ?? 0 }
  return mode !== undefined && preserveMtime ? { secs: 0n } : undefined
}

function buildOptionsOf(options: IpfsAddOptions): BuildOptions {
  const { cidVersion, ...own } = withProfile(options)
  return {
    ...own,
    version: cidVersion,
    hash: sha2256,
    chunker: parseChunker(own.chunker),
    trickle: options.trickle ?? false,
    inlineLimit: -1,
    emptyDirs: true,
  }
}
