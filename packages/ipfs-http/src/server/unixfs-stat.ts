import { toGoMode } from '../unixfs/go-mode.ts'
import type { UnixFsData } from '../unixfs/unixfs-data.ts'

/** The members of a file, directory or symlink that Kubo tells. */
export interface UnixFsStat {
  readonly type: 'file' | 'directory' | 'symlink'
  /** Bytes of the content of a file, or of the target of a symlink; 0 of a directory. */
  readonly size: number
  /** Mode of Go, with the bits of the type; 0 where none was kept. */
  readonly mode: number
}

/** Tells the members of a block of UnixFS. */
export function statOf({ type, data, fileSize, blockSizes, mode = 0 }: UnixFsData): UnixFsStat {
  if (type === 'directory' || type === 'shard' || type === 'metadata') {
    return { type: 'directory', size: 0, mode: mode === 0 ? 0 : toGoMode(mode) + directoryBit }
  }
  if (type === 'symlink') return { type, size: data.length, mode: mode === 0 ? 0 : toGoMode(mode) + symlinkBit }
  const size = fileSize ?? blockSizes.reduce((sum, each) => sum + each, BigInt(data.length))
  return { type: 'file', size: Number(size), mode: toGoMode(mode) }
}

/** Bits of a mode of Go. */
const directoryBit = 2 ** 31
export const symlinkBit: number = 2 ** 27
