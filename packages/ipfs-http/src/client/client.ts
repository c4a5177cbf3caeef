import type { Clock } from '../clock.ts'

/**
 * How far content was checked against its CID.
 *
 * - `proven`: of a read, each byte before it was handed out; of an upload, the CID was computed here from the same bytes.
 * - `consistent`: the content as a whole, after its bytes had been handed out.
 * - `unverified`: there was nothing to check it by.
 */
export type Verification = 'proven' | 'consistent' | 'unverified'

/**
 * What is asked of every call. `off`: nothing is checked. `consistent`: whatever can be checked is, and the result tells
 * how far. `proven`: where there is no proof, the call throws `unverified` instead.
 */
export type VerifyMode = 'off' | 'consistent' | 'proven'

export interface IpfsClientOptions {
  /** The host, with or without `/api/v0`. Credentials in it go into the header `Authorization`. */
  readonly url: string
  readonly apiKey?: string | undefined
  readonly apiKeySecret?: string | undefined
  /** Further headers of each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly fetch?: typeof globalThis.fetch | undefined
  /** How long the host may keep silent, before its answer or in the middle of a body, in ms. Default 30,000. */
  readonly timeoutMs?: number | undefined
  /** Default `consistent`. */
  readonly verify?: VerifyMode | undefined
  /** `buffer` sends a body that is known as a whole, which browsers need; `stream` sends it as it is read. Default: by platform. */
  readonly uploads?: 'stream' | 'buffer' | undefined
  readonly clock?: Clock | undefined
}

export interface IpfsCallOptions {
  readonly signal?: AbortSignal | undefined
  /** Instead of the client's. */
  readonly timeoutMs?: number | undefined
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
  /** Relative, `/` between segments; '' or absent for a lone file without a name. */
  readonly path?: string | undefined
  readonly content?: IpfsContent | undefined
  /** Where a symlink points. */
  readonly target?: string | undefined
  /** Permission bits. */
  readonly mode?: number | undefined
  readonly mtime?: IpfsMtime | undefined
}

export interface IpfsAddOptions extends IpfsCallOptions {
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
  /** In bytes. */
  readonly inlineLimit?: number | undefined
  readonly wrapWithDirectory?: boolean | undefined
  /** Whether modes, or times, become part of the content. Default: whether the first entry has one. */
  readonly preserveMode?: boolean | undefined
  readonly preserveMtime?: boolean | undefined
  /** Computes CIDs and keeps nothing. */
  readonly onlyHash?: boolean | undefined
  /** Default true. */
  readonly pin?: boolean | undefined
  readonly pinName?: string | undefined
  /** Bytes of content on their way, and how many there are where that is known: of one file that is no stream. */
  readonly onProgress?: ((bytes: number, total?: number) => void) | undefined
  readonly verify?: VerifyMode | undefined
}

export interface IpfsAdded {
  readonly cid: string
  /** Of the whole DAG below it, in bytes, as the host says. */
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
  /** How the content was added. Where a host gives no blocks, that lets it be checked as a whole, at its end. */
  readonly addedWith?: Pick<IpfsAddOptions, 'cidVersion' | 'rawLeaves' | 'chunker' | 'trickle'> | undefined
  /** Bytes handed out so far. */
  readonly onProgress?: ((bytes: number) => void) | undefined
}

/** Bytes of a file. The request begins with the first read; what is read twice throws `bad_argument`. */
export interface IpfsBytes extends AsyncIterable<Uint8Array> {
  /** How far they were checked; told when it is certain, which may be at the end. Never rejects. */
  readonly verification: Promise<Verification>
  /** All of them. @throws IpfsError `too_large` beyond `maxBytes` (default 64 MiB) */
  bytes(maxBytes?: number): Promise<Uint8Array>
  stream(): ReadableStream<Uint8Array>
}

/** A member of what {@link IpfsClient.get} reads, parents before children. */
export interface IpfsEntry {
  /** Begins with the last segment of what was asked for, or with the CID, whatever the host says; safe to be joined to a folder. */
  readonly path: string
  readonly type: 'file' | 'directory' | 'symlink'
  /** Of a file, to be read before the next entry is asked for; empty for the others. */
  readonly content: AsyncIterable<Uint8Array>
  /** Of a file, in bytes. */
  readonly size: number
  /** Where a symlink points: not checked, it may leave the folder. */
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
  /** Pins, and tells the CID. `onProgress`: blocks found so far. */
  add(
    cid: string,
    options?: IpfsCallOptions & {
      readonly recursive?: boolean | undefined
      readonly name?: string | undefined
      readonly onProgress?: ((blocks: number) => void) | undefined
    },
  ): Promise<string>
  /** @throws IpfsError `not_pinned` */
  rm(cid: string, options?: IpfsCallOptions & { readonly recursive?: boolean | undefined }): Promise<string>
  /** All pins, or the one of `cid`. */
  ls(
    options?: IpfsCallOptions & { readonly cid?: string | undefined; readonly type?: string | undefined },
  ): AsyncIterable<IpfsPin>
  /** Moves a pin to other content. `unpin` (default true): the old one goes. */
  update(
    from: string,
    to: string,
    options?: IpfsCallOptions & { readonly unpin?: boolean | undefined },
  ): Promise<readonly string[]>
}

export interface IpfsBlockApi {
  /** A block of at most 4 MiB. */
  get(cid: string, options?: IpfsReadOptions): Promise<Uint8Array>
  /** Keeps a block and tells its CID. `format`: the codec, default `raw`. */
  put(
    bytes: Uint8Array,
    options?: IpfsReadOptions & { readonly format?: string | undefined; readonly pin?: boolean | undefined },
  ): Promise<{ readonly cid: string; readonly size: number; readonly verification: Verification }>
  stat(cid: string, options?: IpfsCallOptions): Promise<{ readonly cid: string; readonly size: number }>
}

export interface IpfsDagApi {
  /** What lies at a path, as dag-json. Not verified. */
  get(path: string, options?: IpfsCallOptions): Promise<unknown>
  /** Keeps a value of dag-json as dag-cbor, and tells its CID. Not verified. */
  put(value: unknown, options?: IpfsCallOptions & { readonly pin?: boolean | undefined }): Promise<string>
  /** Where a path leads, and what of it is left. Not verified. */
  resolve(path: string, options?: IpfsCallOptions): Promise<{ readonly cid: string; readonly remainder: string }>
}

/** The IPFS HTTP API of one host (Spec §4.12, Kubo RPC). Every call throws {@link IpfsError}. */
export interface IpfsClient {
  /** Uploads one file, and tells it, or the directory that wraps it. */
  add(input: IpfsContent | IpfsUpload, options?: IpfsAddOptions): Promise<IpfsAdded>
  /** Uploads many in one request. Tells each, children before parents, the root last. */
  addAll(
    entries: AsyncIterable<IpfsUpload> | Iterable<IpfsUpload>,
    options?: IpfsAddOptions,
  ): AsyncIterableIterator<IpfsAdded>
  /** The bytes of a file: `<cid>`, `<cid>/a/b`, `/ipfs/<cid>`, `ipfs://<cid>`. */
  cat(path: string, options?: IpfsCatOptions): IpfsBytes
  /** A file, or a directory with all that is below it. */
  get(path: string, options?: IpfsReadOptions): AsyncIterable<IpfsEntry>
  /** What a directory links to. */
  ls(path: string, options?: IpfsReadOptions): AsyncIterable<IpfsLink>
  readonly pin: IpfsPinApi
  readonly block: IpfsBlockApi
  readonly dag: IpfsDagApi
  version(options?: IpfsCallOptions): Promise<Readonly<Record<string, string>>>
  id(options?: IpfsCallOptions): Promise<Readonly<Record<string, unknown>>>
}
