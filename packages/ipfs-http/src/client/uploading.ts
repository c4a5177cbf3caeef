import type { Clock } from '../clock.ts'
import type { IpfsAdded, IpfsAddOptions, IpfsUpload, VerifyMode } from './client.ts'
import type { Host } from './host.ts'
import type { linesOf } from './lines.ts'
import type { nameUpload, piecesOf, sizeOf } from './upload-parts.ts'

export interface AddSettings {
  readonly host: Host
  readonly clock: Clock
  readonly verify: VerifyMode
  readonly uploads: 'stream' | 'buffer'
  /** Most entries of one request. */
  readonly maxParts: number | undefined
  /** Most bytes of one request. */
  readonly maxRequestBytes: number
  /** The calls that the host was found not to have. */
  readonly lacks: Set<'dag/import'>
  /** Makes the boundary of a multipart body, which no content holds. */
  readonly boundary: () => string
}

/** The options of an upload, with those that its first entry decides. */
export interface FullOptions extends IpfsAddOptions {
  readonly preserveMode: boolean
  readonly preserveMtime: boolean
  readonly rawLeaves: boolean
  /** Most links of one block of a file. Default 174. */
  readonly maxFileLinks?: number | undefined
  readonly verify: VerifyMode
  readonly onBytes: (more: number) => void
}

/** The steps of an upload, for `addAll`: a parameter, so that the code that loads first need not be split for it. */
export interface Uploading {
  readonly fullOptions: (
    settings: AddSettings,
    options: IpfsAddOptions,
    first: IpfsUpload,
    total: number | undefined,
  ) => Promise<FullOptions>
  readonly addInOne: (
    settings: AddSettings,
    entries: AsyncIterable<IpfsUpload> | Iterable<IpfsUpload>,
    options: FullOptions,
  ) => AsyncGenerator<IpfsAdded>
  readonly leave: (source: AsyncIterator<unknown> | Iterator<unknown> | undefined) => void
  readonly linesOf: typeof linesOf
  readonly nameUpload: typeof nameUpload
  readonly piecesOf: typeof piecesOf
  readonly sizeOf: typeof sizeOf
}
