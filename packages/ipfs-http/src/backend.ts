import type { CID } from 'multiformats/cid'
import type { ProfileOptions } from './unixfs/profile.ts'

/** Bytes as they arrive, at the pace of the loop that reads them. Nothing is held before that loop begins, nor once it is left. */
export type ByteStream = AsyncIterable<Uint8Array>

/** Options of every call of a backend. */
export interface BackendCall {
  /** Ends the call: the caller left, or its time is over. */
  readonly signal: AbortSignal
  /** Owns the blocks that the call writes, until it is ended. Without it, they stay until a collection. */
  readonly staged?: StagedBlocks | undefined
  /** The project of the call. */
  readonly lane?: string | undefined
  /** Whether only blocks that are here are read: nothing is fetched. Heeded by `getBlock`, and by `importCar`, which then pins nothing by itself. */
  readonly isLocal?: boolean | undefined
}

/** The blocks that one request writes, before it is known whether anybody pins them. No collection removes them meanwhile. */
export interface StagedBlocks {
  /** Bytes on the disk of the blocks reachable from its roots, that no pin is known to hold, and that count for its lane. */
  readonly ownBytes: number
  /** Ends it after the request has pinned its roots: blocks reachable from them count no more, others as after `leave`. */
  keep(): void
  /**
   * Ends it where its roots are not pinned, or may be (`mayBePinned`): blocks count until they are pinned, or a collection removes them. Where
   * they may be, nothing else does.
   */
  leave(options?: { readonly mayBePinned?: boolean }): void
  /** Ends it after the request has failed without a pin: removes those that were new, and that no other request has used. */
  discard(): Promise<void>
}

/** Options of `stage` of a backend. */
export interface StageOptions {
  /** The project. Projects take turns at the processor. */
  readonly lane: string
  /** Most blocks, whether new or not. The backend throws `too_large` beyond them. */
  readonly maxBlocks: number
  /**
   * Counts bytes on the disk that no pin is known to hold: called before a new block is written, and may throw to refuse it; with
   * a negative number, which must not throw, once a block is pinned or removed.
   */
  readonly onBytes: (bytes: number) => void
}

/** The space of a backend. */
interface DiskUse {
  /** Bytes that the disk has left. */
  readonly freeBytes: number
  /** Whether nothing can be added, as only the headroom for removals is left. */
  readonly isFull: boolean
  /**
   * Bytes that a collection may free, as far as this process knows: those that were written or fetched since and not pinned, and
   * those of released pins. At most, since blocks that several of them share count for each.
   */
  readonly unpinnedBytes: number
  /** Whether content lost its last pin since the last collection. */
  readonly hasReleased: boolean
}

/** One part of an upload, in the order of arrival. Its content must be read before the next part is asked for. */
export type AddEntry = FileEntry | DirectoryEntry | SymlinkEntry

interface EntryMembers {
  /**
   * Relative, with `/` between the segments, none of which is empty, `.` or `..`. '' stands for a file without a name, and for
   * the directory that wraps all entries, which comes first.
   */
  readonly path: string
  /** Permission bits, if the caller gave them. */
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

/** Tells how content becomes blocks. Source: Kubo RPC `/api/v0/add`. */
export interface AddOptions extends ProfileOptions {
  /** The name of a multihash: `sha2-256`. */
  readonly hash: string
  readonly trickle: boolean
  readonly inline: boolean
  /** Longest content, in bytes, that becomes an identity CID where `inline` is set. */
  readonly inlineLimit: number
  readonly wrapWithDirectory: boolean
  /** Whether the events `root` will be pinned: some backends pin as they add. */
  readonly pin: boolean
  /** Computes CIDs and keeps nothing. */
  readonly onlyHash: boolean
  readonly preserveMode: boolean
  readonly preserveMtime: boolean
  /** Whether directories without entries, other than those at the top, are part of the content. */
  readonly emptyDirs: boolean
  /** Whether events of `progress` are wanted. */
  readonly progress: boolean
}

export type AddEvent =
  /** The number of bytes of this entry that were read. */
  | { readonly type: 'progress'; readonly path: string; readonly bytes: number }
  /** An entry that is stored. Parents come after their children. `size` is the cumulative size of its DAG, in bytes. */
  | {
      readonly type: 'added'
      readonly path: string
      readonly cid: CID
      readonly size: bigint
      readonly mode?: number | undefined
      readonly mtime?: EntryMembers['mtime']
    }
  /** A CID that a pin of this upload holds: an entry at the top, or the directory that wraps them. Comes after its `added`. */
  | {
      readonly type: 'root'
      readonly cid: CID
      readonly size: bigint
      /** The bytes that its DAG takes on the disk, where that is known. */
      readonly diskBytes?: bigint | undefined
      /** Whether another root has its place: it is not to be pinned, and the backend may have. */
      readonly isReplaced?: boolean | undefined
    }

/** A place in content: the `<cid>` and the segments of `/ipfs/<cid>/a/b`. */
export interface IpfsPath {
  readonly cid: CID
  readonly segments: readonly string[]
}

export interface FileContent {
  /** Length of the content, in bytes. */
  readonly size: bigint
  readonly bytes: ByteStream
}

export interface PinProgress {
  readonly blocks: number
  readonly bytes: bigint
  /** The bytes that these blocks take on the disk, where that is known. */
  readonly diskBytes?: bigint | undefined
  /** True in the last step alone: everything is here. The iteration is still open then, so that a pin can be stored in it. */
  readonly whole: boolean
}

/** A pin, whose blocks a collection must not remove. */
export interface PinnedRoot {
  readonly cid: CID
  readonly recursive: boolean
}

/**
 * Keeps content. Knows nothing of projects, keys and quotas. Every method throws {@link IpfsError}.
 *
 * Blocks that an iteration of `add`, `hold` or `importCar` has written or walked cannot be collected **while the iteration
 * is open**. To keep them, store the pin between the event that names the root and the next step. Content that an event
 * named `added` or `root` is on the disk by then, and survives the end of the process. Some backends hold content by a pin
 * of their own: a caller that does not pin such a root, or a CID that `hold` walked, calls `release`, unless somebody else
 * pins it.
 */
export interface IpfsBackend extends AsyncDisposable {
  readonly name: 'local' | 'kubo'
  /** Stores the entries of an upload. */
  add(entries: AsyncIterable<AddEntry>, options: AddOptions, call: BackendCall): AsyncIterable<AddEvent>
  /** Reads a file from `offset` on, at most `length` bytes. Throws `is_directory`, `not_found` before the first byte. */
  cat(
    path: IpfsPath,
    range: { readonly offset: bigint; readonly length: bigint | undefined },
    call: BackendCall,
  ): Promise<FileContent>
  /** Reads a file, directory or symlink as a tar archive whose root is named `name`. */
  get(path: IpfsPath, name: string, call: BackendCall): Promise<ByteStream>
  /** Resolves a path. `remainder` is the part of the path that lies inside the block (of dag-cbor and dag-json). */
  resolve(path: IpfsPath, call: BackendCall): Promise<{ readonly cid: CID; readonly remainder: readonly string[] }>
  getBlock(cid: CID, call: BackendCall): Promise<Uint8Array>
  /** Whether a block is here. Reads and fetches nothing. */
  hasBlock(cid: CID, call: BackendCall): Promise<boolean>
  /** Keeps one block under the CID that belongs to it. */
  putBlock(
    bytes: Uint8Array,
    options: { readonly version: 0 | 1; readonly codec: string; readonly hash: string },
    call: BackendCall,
  ): Promise<CID>
  /**
   * Removes a block that calls of the same `lane` have written new since the start, and that nobody has used since. `held`: it stays,
   * because it may be pinned, used or another's.
   */
  removeBlock(cid: CID, call: BackendCall): Promise<'removed' | 'held' | 'missing'>
  /**
   * Lists blocks that calls of the same `lane` have written new since the start, and that no pin is known to hold: those that `removeBlock`
   * may remove. Undefined where the backend collects by itself.
   */
  unpinnedBlocks?(call: BackendCall): Iterable<CID>
  /** Reads the blocks below `cid` as a CARv1, depth first, each once. */
  exportCar(cid: CID, call: BackendCall): Promise<ByteStream>
  /** Keeps the blocks of a CARv1 or CARv2; each must match its CID. Ends with its roots. */
  importCar(
    car: ByteStream,
    call: BackendCall,
  ): AsyncIterable<
    | { readonly type: 'progress'; readonly blocks: number; readonly bytes: bigint }
    | {
        readonly type: 'root'
        readonly cid: CID
        /** The reason why the backend, which pins roots by itself, could not pin this one. */
        readonly problem?: string | undefined
      }
  >
  /** Makes sure that all blocks below `cid` (or it alone) are here, and tells the progress; the last step is `whole`. */
  hold(cid: CID, options: { readonly recursive: boolean }, call: BackendCall): AsyncIterable<PinProgress>
  /**
   * Tells that nobody pins `cid` any more. `bytes`: the size of the pin that it lost, if any. A backend with `diskUse` counts them
   * as unpinned until the end of a collection that began later: an upper bound, since other pins may hold some of its blocks.
   */
  release(
    cid: CID,
    options: { readonly recursive: boolean; readonly bytes?: bigint | undefined },
    call: BackendCall,
  ): Promise<void>
  /** Whether the backend has a pin of its own for `cid`, or a wider one. Undefined where collections are given the pins. */
  isHeld?(cid: CID, options: { readonly recursive: boolean }, call: BackendCall): Promise<boolean>
  /** Begins to own blocks for one request. Undefined where the backend does not tell new blocks from others. */
  stage?(options: StageOptions): StagedBlocks
  /** Tells the space of the disk. Undefined where the backend looks after it by itself. */
  diskUse?(): Promise<DiskUse>
  /** Removes the blocks that none of `roots` holds and no open iteration uses. Undefined where the backend does so by itself. */
  collect?(
    roots: () => AsyncIterable<PinnedRoot>,
    call: BackendCall,
  ): Promise<{ readonly removed: number; readonly bytes: bigint }>
  /** The answer to `/api/v0/version`. */
  version(call: BackendCall): Promise<Readonly<Record<string, string>>>
  /** The answer to `/api/v0/id`. */
  id(call: BackendCall): Promise<Readonly<Record<string, unknown>>>
  close(): Promise<void>
}
