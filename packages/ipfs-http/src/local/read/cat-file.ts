import type { FileContent, IpfsPath } from '../../backend.ts'
import { IpfsError } from '../../error.ts'
import type { BlockSource } from '../../unixfs/block-source.ts'
import { type FileNode, openFileBlock } from '../../unixfs/file-node.ts'
import { loadBlock } from '../../unixfs/load-block.ts'
import { readFile } from './read-file.ts'
import { resolvePath } from './resolve-path.ts'

/**
 * Reads a file from `offset` on, at most `length` bytes; none if it ends before. Its first block is read before this
 * resolves. The reader bounds how far is read ahead, see {@link readFile}.
 *
 * @throws IpfsError `is_directory`, `not_found`, `bad_content`, `unsupported`, `aborted`
 */
export async function catFile(
  source: BlockSource,
  path: IpfsPath,
  range: { readonly offset: bigint; readonly length: bigint | undefined },
  signal: AbortSignal,
): Promise<FileContent> {
  const { cid, remainder } = await resolvePath(source, path, signal)
  if (remainder.length > 0) {
    throw new IpfsError('unsupported', `unknown node type: expected a file, came a value inside ${cid}`)
  }
  return cutFile(source, openFileBlock(cid, await loadBlock(source, cid, signal)), range, signal)
}

/** Reads a file that is open, in the same way. */
export function cutFile(
  source: BlockSource,
  file: FileNode,
  { offset, length }: { readonly offset: bigint; readonly length: bigint | undefined },
  signal: AbortSignal,
): FileContent {
  const from = offset < file.size ? offset : file.size
  const rest = file.size - from
  const size = length === undefined || length > rest ? rest : length
  const isNothing = size === 0n && file.size > 0n
  return { size, bytes: isNothing ? noBytes() : readFile(source, file, { from, to: from + size }, signal) }
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}
