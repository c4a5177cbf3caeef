import type { CID } from 'multiformats/cid'

/** Bytes as they arrive. Whoever iterates sets the pace; leaving the loop frees what is held, and before it begins nothing is. */
export type ByteStream = AsyncIterable<Uint8Array>

/** What every call of a backend takes. */
export interface BackendCall {
  /** Ends the call: the caller left, or its time is over. */
  readonly signal: AbortSignal
}

/** One part of an upload, in the order in which the parts came. The content must be read before the next part is asked for. */
export type AddEntry = FileEntry | DirectoryEntry | SymlinkEntry

interface EntryMembers {
  /** Relative, `/` between segments, none of them empty, `.` or `..`; '' for a file without a name, and the directory that wraps, first of all. */
  readonly path: string
  /** Permission bits, where the caller gave them. */
  readonly mode?: number | undefined
  /** Seconds and nanoseconds since the Unix epoch. */
  readonly mtime?: { readonly secs: bigint; readonly nsecs?: number | undefined } | undefined
}

export interface FileEntry extends EntryMembers {
  readonly type: 'file'
  readonly content: ByteStream
}

export interface DirectoryEntry extends EntryMembers {
  readonly type: 'directory'
}

export interface SymlinkEntry extends EntryMembers {
  readonly type: 'symlink'
  readonly target: string
}

/** How content becomes blocks. Source: Kubo RPC `/api/v0/add`. */
export interface AddOptions {
  readonly cidVersion: 0 | 1
  /** The name of a multihash: `sha2-256`. */
  readonly hash: string
  /** `size-262144`, `rabin`, `rabin-512-1024-2048`, `buzhash`. */
  readonly chunker: string
  readonly rawLeaves: boolean
  readonly trickle: boolean
  readonly inline: boolean
  /** Longest content, in bytes, that becomes an identity CID where `inline` is set. */
  readonly inlineLimit: number
  readonly wrapWithDirectory: boolean
  /** Whether what is told as `root` will be pinned: some backends pin as they add. */
  readonly pin: boolean
  /** Computes CIDs and keeps nothing. */
  readonly onlyHash: boolean
  readonly preserveMode: boolean
  readonly preserveMtime: boolean
  /** Of a directory, where each block of a sharded one begins, in bytes of links; undefined: as Kubo. */
  readonly shardThreshold?: number | undefined
  /** Whether each part of content that was read is told. */
  readonly progress: boolean
}

export type AddEvent =
  /** So many bytes of this entry were read. */
  | { readonly type: 'progress'; readonly path: string; readonly bytes: number }
  /** An entry is stored; parents come after their children. `size`: cumulative size of its DAG, in bytes. */
  | {
      readonly type: 'added'
      readonly path: string
      readonly cid: CID
      readonly size: bigint
      readonly mode?: number | undefined
      readonly mtime?: EntryMembers['mtime']
    }
  /** What a pin of this upload holds: each entry at the top, or the directory that wraps them. Told after its `added`. */
  | { readonly type: 'root'; readonly cid: CID; readonly size: bigint }

/** A place in content: `/ipfs/<cid>/a/b` without its beginning. */
export interface IpfsPath {
  readonly cid: CID
  readonly segments: readonly string[]
}

export interface FileContent {
  /** Bytes that the body will have. */
  readonly size: bigint
  readonly bytes: ByteStream
}

export interface PinProgress {
  readonly blocks: number
  readonly bytes: bigint
  /** True in the last one alone: everything is here. It is told while the iteration is still open, so that a pin can be stored in it. */
  readonly whole: boolean
}

/** Something that collection must not remove. */
export interface PinnedRoot {
  readonly cid: CID
  readonly recursive: boolean
}

/**
 * Where content lives. Knows nothing of projects, keys and quotas. Every method throws {@link IpfsError}.
 *
 * What an iteration of `add`, `hold` or `importCar` has written or walked cannot be collected **while the iteration is
 * open**: whoever wants to keep it stores the pin between the event that names the root and the next step. What was told
 * as `added` or as `root` is on the disk by then, and survives the end of the process. Some backends hold by a pin of their
 * own: who does not pin in the end what was told as root, or was walked by `hold`, calls `release` unless somebody else pins it.
 */
export interface IpfsBackend extends AsyncDisposable {
  readonly name: 'local' | 'kubo'
  /** Content addressed files of an upload. */
  add(entries: AsyncIterable<AddEntry>, options: AddOptions, call: BackendCall): AsyncIterable<AddEvent>
  /** The bytes of a file from `offset` on, at most `length`. Throws `is_directory`, `not_found` before the first byte. */
  cat(
    path: IpfsPath,
    range: { readonly offset: bigint; readonly length: bigint | undefined },
    call: BackendCall,
  ): Promise<FileContent>
  /** A file, directory or symlink as a tar archive whose root is named `name`. */
  get(path: IpfsPath, name: string, call: BackendCall): Promise<ByteStream>
  /** Where a path leads, and what of it lies below that inside the block (of dag-cbor and dag-json). */
  resolve(path: IpfsPath, call: BackendCall): Promise<{ readonly cid: CID; readonly remainder: readonly string[] }>
  getBlock(cid: CID, call: BackendCall): Promise<Uint8Array>
  /** Keeps one block under the CID that belongs to it. */
  putBlock(
    bytes: Uint8Array,
    options: { readonly version: 0 | 1; readonly codec: string; readonly hash: string },
    call: BackendCall,
  ): Promise<CID>
  /** The blocks below `cid` as a CARv1, depth first, each once. */
  exportCar(cid: CID, call: BackendCall): Promise<ByteStream>
  /** Keeps the blocks of a CARv1 or CARv2; each must match its CID. Ends with its roots. */
  importCar(
    car: ByteStream,
    call: BackendCall,
  ): AsyncIterable<
    | { readonly type: 'progress'; readonly blocks: number; readonly bytes: bigint }
    | { readonly type: 'root'; readonly cid: CID }
  >
  /** Makes sure that all blocks below `cid` (or it alone) are here, and tells how far that is; the last one is `whole`. */
  hold(cid: CID, options: { readonly recursive: boolean }, call: BackendCall): AsyncIterable<PinProgress>
  /** Nobody pins `cid` any more. */
  release(cid: CID, options: { readonly recursive: boolean }, call: BackendCall): Promise<void>
  /** Removes what none of `roots` holds and no open iteration uses; undefined where the backend does so by itself. */
  collect?(
    roots: () => AsyncIterable<PinnedRoot>,
    call: BackendCall,
  ): Promise<{ readonly removed: number; readonly bytes: bigint }>
  /** What `/api/v0/version` answers. */
  version(call: BackendCall): Promise<Readonly<Record<string, string>>>
  /** What `/api/v0/id` answers. */
  id(call: BackendCall): Promise<Readonly<Record<string, unknown>>>
  close(): Promise<void>
}
