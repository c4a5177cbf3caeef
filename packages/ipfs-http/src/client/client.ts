import type { Clock } from '../clock.ts'
import type { UnixFsProfile } from '../unixfs/profile.ts'

/**
 * The extent to which content was checked against its CID.
 *
 * - `proven`: each byte of a read was checked before it was handed out; the CID of an upload was computed here from its bytes.
 * - `consistent`: the content was checked as a whole, after its bytes had been handed out.
 * - `unverified`: there was nothing to check it by.
 */
export type Verification = 'proven' | 'consistent' | 'unverified'

/**
 * The checks of every call. `off`: nothing is checked. `consistent`: everything is checked that can be, and the result tells
 * how far. `proven`: the call throws `unverified` where there is no proof.
 */
export type VerifyMode = 'off' | 'consistent' | 'proven'

export interface IpfsClientOptions {
  /** The URL of the host, with or without `/api/v0`. Its credentials go into the header `Authorization`. */
  readonly url: string
  readonly apiKey?: string | undefined
  readonly apiKeySecret?: string | undefined
  /** Further headers of each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Longest silence of the host, before its answer or in the middle of a body, in ms. Default 30,000. */
  readonly timeoutMs?: number | undefined
  /** Longest time of a whole call, however many requests it makes, in ms. Default: none; ten times `timeoutMs` for one short answer. */
  readonly deadlineMs?: number | undefined
  /** Most entries of one upload request: more are sent in several. Default 1,000,000, as many as our server takes. */
  readonly maxParts?: number | undefined
  /** Most bytes of one upload request: more are sent in several. Default 100,000,000, as many as our server takes. */
  readonly maxRequestBytes?: number | undefined
  /** Default `consistent`. */
  readonly verify?: VerifyMode | undefined
  /** `buffer` sends a whole body, which browsers need. `stream` sends it as it is read. Default: by platform. */
  readonly uploads?: 'stream' | 'buffer' | undefined
  readonly clock?: Clock | undefined
}

export interface IpfsCallOptions {
  readonly signal?: AbortSignal | undefined
  /** Replaces the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined
  /** Replaces the client's `deadlineMs`. */
  readonly deadlineMs?: number | undefined
}

export interface IpfsMtime {
  /** Seconds since the Unix epoch. */
  readonly secs: bigint
  readonly nsecs?: number | undefined
}

export type IpfsContent =
  | string
  | Uint8Array
  | Blob
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>
  | Iterable<Uint8Array>

/** Something to upload. Without `content` and `target` it is a directory. */
export interface IpfsUpload {
  /** Relative, with `/` between the segments. '' or absent for a single file without a name. */
  readonly path?: string | undefined
  readonly content?: IpfsContent | undefined
  /** The bytes of `content`, if they are known and `content` is a stream or iterable: for the total of `onProgress`, and to split the upload. */
  readonly size?: number | undefined
  /** The path that a symlink points to. */
  readonly target?: string | undefined
  /** Permission bits. */
  readonly mode?: number | undefined
  readonly mtime?: IpfsMtime | undefined
}

/** How much an upload has, known before any content is read. */
export interface IpfsTotals {
  readonly files: number
  /** Files, directories and symlinks. */
  readonly entries: number
  /** Bytes of all files. */
  readonly bytes: number
}

/** Entries whose sizes are known before their content is read. They can be listed several times. */
export interface IpfsSource extends AsyncIterable<IpfsUpload> {
  /** Counts the entries. @throws IpfsError `aborted`, and as the listing itself */
  totals(options?: { readonly signal?: AbortSignal | undefined }): Promise<IpfsTotals>
}

export interface IpfsAddOptions extends IpfsCallOptions {
  /** The options of a CID profile (IPIP-499), which those beside it replace. Default: those of `unixfs-v0-2015`, and raw leaves for `cidVersion` 1. */
  readonly profile?: UnixFsProfile | undefined
  /** Default 0. */
  readonly cidVersion?: 0 | 1 | undefined
  /** Default: true for `cidVersion` 1, unless modes or times are kept. */
  readonly rawLeaves?: boolean | undefined
  /** `size-262144` (default), `rabin-min-avg-max`, `buzhash`. */
  readonly chunker?: string | undefined
  /** Default `sha2-256`. */
  readonly hash?: string | undefined
  readonly trickle?: boolean | undefined
  readonly inline?: boolean | undefined
  /** Longest content that `inline` puts into a CID, in bytes. */
  readonly inlineLimit?: number | undefined
  readonly wrapWithDirectory?: boolean | undefined
  /** Whether modes become part of the content. Default: whether the first entry has one. */
  readonly preserveMode?: boolean | undefined
  /** Whether times become part of the content. Default: whether the first entry has one. */
  readonly preserveMtime?: boolean | undefined
  /** Computes CIDs and keeps nothing. */
  readonly onlyHash?: boolean | undefined
  /** Default true. */
  readonly pin?: boolean | undefined
  readonly pinName?: string | undefined
  /** Called with the bytes of content sent so far, and with their total, if all sizes are known: of an {@link IpfsSource}, and of an array without streams. */
  readonly onProgress?: ((bytes: number, total?: number) => void) | undefined
  readonly verify?: VerifyMode | undefined
}

export interface IpfsAdded {
  readonly cid: string
  /** The size of the whole DAG below it, in bytes: computed here if `proven`, else as the host says. */
  readonly size: number
  readonly path: string
  readonly verification: Verification
  readonly mode?: number | undefined
  readonly mtime?: IpfsMtime | undefined
}

export interface IpfsReadOptions extends IpfsCallOptions {
  readonly verify?: VerifyMode | undefined
}

export interface IpfsCatOptions extends IpfsReadOptions {
  /** First byte, a whole number. Default 0. */
  readonly offset?: number | undefined
  /** Most bytes, a whole number. Default: all. */
  readonly length?: number | undefined
  /** The options that the content was added with. If a host gives no blocks, they allow a check of the whole at its end. */
  readonly addedWith?: Pick<IpfsAddOptions, 'profile' | 'cidVersion' | 'rawLeaves' | 'chunker' | 'trickle'> | undefined
  /** Called with the bytes handed out so far. */
  readonly onProgress?: ((bytes: number) => void) | undefined
}

/** The bytes of a file. The request begins with the first read. A second read throws `bad_argument`. */
export interface IpfsBytes extends AsyncIterable<Uint8Array> {
  /** Tells how far the bytes were checked, as soon as that is certain, which may be at the end. Never rejects. */
  readonly verification: Promise<Verification>
  /** Reads all bytes. @throws IpfsError `too_large` beyond `maxBytes` (default 64 MiB) */
  bytes(maxBytes?: number): Promise<Uint8Array>
  /** Reads the bytes as a stream. */
  stream(): ReadableStream<Uint8Array>
}

/** A file, directory or symlink that {@link IpfsClient.get} reads, parents before children. */
export interface IpfsEntry {
  /** Begins with the last segment of the path that was asked for, or with the CID, whatever the host says. Safe to join to a folder. */
  readonly path: string
  readonly type: 'file' | 'directory' | 'symlink'
  /** The bytes of a file, to be read before the next entry is asked for. Empty for other entries. */
  readonly content: AsyncIterable<Uint8Array>
  /** The size of a file, in bytes; 0 for other entries. */
  readonly size: number
  /** The path that a symlink points to. It is not checked, and may leave the folder. */
  readonly target?: string | undefined
  readonly mode?: number | undefined
  readonly mtime?: IpfsMtime | undefined
  readonly verification: Verification
}

/** A link of a directory. */
export interface IpfsLink {
  readonly name: string
  readonly cid: string
  readonly verification: Verification
}

export interface IpfsPin {
  readonly cid: string
  readonly type: string
  readonly name?: string | undefined
}

export interface IpfsPinApi {
  /** Pins, and returns the CID. `onProgress` is called with the blocks found so far. */
  add(
    cid: string,
    options?: IpfsCallOptions & {
      readonly recursive?: boolean | undefined
      readonly name?: string | undefined
      readonly onProgress?: ((blocks: number) => void) | undefined
    },
  ): Promise<string>
  /** Removes a pin, and returns its CID. @throws IpfsError `not_pinned` */
  rm(cid: string, options?: IpfsCallOptions & { readonly recursive?: boolean | undefined }): Promise<string>
  /** Lists all pins, or the one of `cid`. */
  ls(
    options?: IpfsCallOptions & { readonly cid?: string | undefined; readonly type?: string | undefined },
  ): AsyncIterable<IpfsPin>
  /** Moves a pin to other content. With `unpin` (default true), the old pin is removed. */
  update(
    from: string,
    to: string,
    options?: IpfsCallOptions & { readonly unpin?: boolean | undefined },
  ): Promise<readonly string[]>
}

export interface IpfsBlockApi {
  /** Reads a block of at most 4 MiB. */
  get(cid: string, options?: IpfsReadOptions): Promise<Uint8Array>
  /** Stores a block, and returns its CID. `format` is the codec, default `raw`. */
  put(
    bytes: Uint8Array,
    options?: IpfsReadOptions & { readonly format?: string | undefined; readonly pin?: boolean | undefined },
  ): Promise<{ readonly cid: string; readonly size: number; readonly verification: Verification }>
  /** Tells the size of a block. With `proven`, reads the block to measure it; else the size is what the host says. */
  stat(
    cid: string,
    options?: IpfsReadOptions,
  ): Promise<{ readonly cid: string; readonly size: number; readonly verification: Verification }>
}

export interface IpfsDagApi {
  /** Reads the value at a path, as dag-json. Not verified. */
  get(path: string, options?: IpfsCallOptions): Promise<unknown>
  /** Stores a value of dag-json as dag-cbor, and returns its CID. Not verified. */
  put(value: unknown, options?: IpfsCallOptions & { readonly pin?: boolean | undefined }): Promise<string>
  /** Resolves a path to a CID and the remainder of the path. Not verified. */
  resolve(path: string, options?: IpfsCallOptions): Promise<{ readonly cid: string; readonly remainder: string }>
}

/** The IPFS HTTP API of one host (Spec §4.12, Kubo RPC). Every call throws {@link IpfsError}. */
export interface IpfsClient {
  /** Uploads one file, and returns it, or the directory that wraps it. Large files are split as by `addAll`. */
  add(input: IpfsContent | IpfsUpload, options?: IpfsAddOptions): Promise<IpfsAdded>
  /**
   * Uploads many entries, and yields each, children before parents, the root last. More than `maxParts` or `maxRequestBytes` are
   * split between roots, each pinned by itself; the blocks of a larger root are sent in several archives (`dag/import`).
   * @throws IpfsError `too_large` for a larger root if the host takes no archives: before anything is read, if sizes are known
   */
  addAll(
    entries: AsyncIterable<IpfsUpload> | Iterable<IpfsUpload>,
    options?: IpfsAddOptions,
  ): AsyncIterableIterator<IpfsAdded>
  /** Reads the bytes of a file: `<cid>`, `<cid>/a/b`, `/ipfs/<cid>`, `ipfs://<cid>`. */
  cat(path: string, options?: IpfsCatOptions): IpfsBytes
  /** Reads a file, or a directory with everything below it. */
  get(path: string, options?: IpfsReadOptions): AsyncIterable<IpfsEntry>
  /** Lists the links of a directory. */
  ls(path: string, options?: IpfsReadOptions): AsyncIterable<IpfsLink>
  readonly pin: IpfsPinApi
  readonly block: IpfsBlockApi
  readonly dag: IpfsDagApi
  version(options?: IpfsCallOptions): Promise<Readonly<Record<string, string>>>
  id(options?: IpfsCallOptions): Promise<Readonly<Record<string, unknown>>>
}
