import type { ByteStream, IpfsBackend } from '../backend.ts'
import type { Clock } from '../clock.ts'
import type { PinLedger } from '../pin-ledger.ts'

/** The caller of a command, and what it may do. */
export interface IpfsProject {
  /** Its pins are held under this id. */
  readonly id: string
  /** False: every call is refused with 403 `billing card required` (Spec §5). */
  readonly hasBillingCard: boolean
  /** Most bytes; 0: none; undefined: no bound. The two transfers count by calendar month, UTC. */
  readonly quota: {
    readonly storedBytes?: bigint | undefined
    readonly uploadBytes?: bigint | undefined
    readonly downloadBytes?: bigint | undefined
  }
}

export interface IpfsRequest {
  readonly method: string
  /** `/api/v0/add`, without the query. */
  readonly path: string
  /** The text after the `?`, or ''. */
  readonly query: string
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: ByteStream
  readonly project: IpfsProject
  /** Identifies the call in the log of the service. */
  readonly traceId?: string | undefined
  /** Aborts when the caller leaves. */
  readonly signal: AbortSignal
}

export interface IpfsAnswer {
  readonly status: number
  /** Without `Content-Length`, `Trailer`, `Date` and the headers of CORS. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * A text is whole. A stream that throws breaks off: the listener sends the reason in the trailer `X-Stream-Error`. A stream
   * must be iterated to its end or left by `return()`, or what it holds stays held.
   */
  readonly body: string | AsyncIterableIterator<Uint8Array>
}

export interface IpfsHandlerOptions {
  readonly backend: IpfsBackend
  readonly ledger: PinLedger
  readonly clock?: Clock | undefined
  /** Longest request body in bytes. Default 100 MB (100,000,000). */
  readonly maxRequestBytes?: number | undefined
  /**
   * Most parts of an upload, and of all uploads that run: each is some 260 bytes of memory until its directory is written. Default 1,000,000.
   */
  readonly maxParts?: number | undefined
  /**
   * Most blocks that one call may write, new or not. Default 1,200,000: a million files with their directories. A block takes at least
   * 4 KiB on the disk, and some 0.3 ms of the processor.
   */
  readonly maxBlocks?: number | undefined
  /** Longest wait for the backend's next byte or step in ms, if the caller sets no `timeout`. Default 60,000. */
  readonly timeoutMs?: number | undefined
  /** Called with each thrown value that is no `IpfsError`; the caller reads `internal error`. */
  readonly onError?: ((thrown: unknown, request: IpfsRequest) => void) | undefined
}

/** The IPFS HTTP API without a transport. */
export interface IpfsHandler extends AsyncDisposable {
  /** Answers one call. Never rejects. */
  (request: IpfsRequest): Promise<IpfsAnswer>
  /** Writes what projects have moved in the last second to the ledger. To be called once no call runs any more. Never rejects. */
  close(): Promise<void>
}
