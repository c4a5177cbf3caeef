import type { ByteStream } from '../backend.ts'
import type { Clock } from '../clock.ts'
import type { IpfsRequest } from './api.ts'
import type { Charges } from './charges.ts'
import { quotaReached, type Refusal, refusal } from './refusal.ts'

/** The bytes that a call moves: held to the caps of the service and of the project, and charged to the project. */
export interface Transfer {
  /** Bytes of the body as its head declares them; 0 where it does not. */
  readonly declaredBytes: number
  /** Opens the body of the request. Rejects with 403 or 413 if it is known to be too long. */
  upload(): Promise<ByteStream>
  /** Meters content for the caller, of `size` bytes if that is known. Rejects with 403 if the month has too few left. */
  download(size: bigint | undefined, content: ByteStream): Promise<AsyncGenerator<Uint8Array, void, undefined>>
  /** Rejects with 403 if the project may download nothing more. */
  mayDownload(): Promise<void>
  /** The refusal that broke off a stream, if one did. */
  refused(): Refusal | undefined
}

/** Bytes between two charges; the last one is made at the end. */
const chargeStep = 4n * 1024n * 1024n

interface TransferOptions {
  readonly charges: Charges
  readonly clock: Clock
  /** Longest request body, in bytes. */
  readonly maxRequestBytes: number
}

/** Creates the transfers of one call. Calls of a project that run at once do not see each other's bytes, so together they can exceed its quota. */
export function createTransfer(options: TransferOptions, { project, headers, body }: IpfsRequest): Transfer {
  const { charges, clock, maxRequestBytes } = options
  // oxlint-disable-next-line no-restricted-globals -- reads no clock
  const month = new Date(clock.date()).toISOString().slice(0, 7)
  const declaredBytes = /^\d{1,15}$/.test(headers['content-length'] ?? '') ? Number(headers['content-length']) : 0
  let refused: Refusal | undefined

  async function left(direction: 'uploadBytes' | 'downloadBytes'): Promise<bigint | undefined> {
    const quota = project.quota[direction]
    if (quota === undefined) return undefined
    if (quota === 0n) throw quotaReached()
    const moved = await charges.moved(project.id, month)
    const used = moved[direction === 'uploadBytes' ? 'uploadedBytes' : 'downloadedBytes']
    if (used >= quota) throw quotaReached()
    return quota - used
  }

  async function* metered(
    content: ByteStream,
    check: (total: bigint) => Refusal | undefined,
    charge: (bytes: bigint) => Promise<void>,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    let total = 0n
    let uncharged = 0n
    try {
      for await (const chunk of content) {
        const length = BigInt(chunk.byteLength)
        total += length
        refused = check(total)
        if (refused !== undefined) throw refused
        uncharged += length
        if (uncharged >= chargeStep) {
          const bytes = uncharged
          uncharged = 0n
          await charge(bytes)
        }
        yield chunk
      }
    } finally {
      if (uncharged > 0n) await charge(uncharged)
    }
  }

  return {
    declaredBytes,
    async upload() {
      if (declaredBytes > maxRequestBytes) throw tooLong(maxRequestBytes)
      const rest = await left('uploadBytes')
      if (rest !== undefined && declaredBytes > rest) throw quotaReached()
      return metered(
        body,
        (total) => {
          if (total > BigInt(maxRequestBytes)) return tooLong(maxRequestBytes)
          return rest !== undefined && total > rest ? quotaReached() : undefined
        },
        (uploadedBytes) => charges.charge(project.id, month, { uploadedBytes }),
      )
    },
    async download(size, content) {
      const rest = await left('downloadBytes')
      if (rest !== undefined && size !== undefined && size > rest) throw quotaReached()
      return metered(
        content,
        (total) => (rest !== undefined && total > rest ? quotaReached() : undefined),
        (downloadedBytes) => charges.charge(project.id, month, { downloadedBytes }),
      )
    },
    async mayDownload() {
      await left('downloadBytes')
    },
    refused: () => refused,
  }
}

function tooLong(most: number): Refusal {
  const how = `a request may have ${most} bytes (ipfs.maxRequestBytes): send several, or have it raised`
  return refusal(413, `payload too large: ${how}\n`)
}
