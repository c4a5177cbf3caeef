import { encode } from '@ipld/dag-pb'
import type { CID } from 'multiformats/cid'
import { IpfsError } from '../error.ts'
import type { BlockWriter } from '../unixfs/add-blocks.ts'
import { createBufferPool } from '../unixfs/buffer-pool.ts'
import type { AddSettings } from './uploading.ts'
import { carHeader, sectionHead } from './car-writer.ts'
import type { HostCallOptions } from './host.ts'
import type { linesOf } from './lines.ts'
import { frameOf, onePart } from './one-part.ts'
import { cidOfBlock } from './verified/hasher.ts'
import { isSameCid } from './verified/same-cid.ts'

/** Sends blocks to a host in archives, each of one request. */
export interface ArchiveSender extends BlockWriter {
  /** The number of archives that were sent. */
  readonly sent: number
  /** Whether all blocks were sent. */
  readonly isEmpty: boolean
  /** Notes that so many bytes of content are in the blocks to come. */
  count(bytes: number): void
  /** Sends the blocks that have not been sent. @throws IpfsError */
  flush(): Promise<void>
  /** Removes the pins by which the host holds the archives, in `deadlineMs` if given. Never rejects. */
  unpin(deadlineMs?: number): Promise<void>
}

interface ArchiveOptions extends HostCallOptions {
  readonly cidVersion?: 0 | 1 | undefined
  /** Called with the bytes of content that have been sent since the last call. */
  readonly onBytes: (bytes: number) => void
}

/** Most bytes of the blocks of an archive: they are held until the host has them. */
const mostArchiveBytes = 16 << 20
/** Most blocks of an archive: their links fit into one block. */
const mostBlocks = 8192
/** Most bytes of a request that are no blocks: of multipart, of the header, and of the link to each block. */
const mostFrameBytes = 4096
const linkBytes = 64
/** Bytes that are sent at once, so that progress means something. */
const sliceBytes = 1 << 16
/** Most lines of an answer. */
const mostLines = 1000

/**
 * Creates a sender. Each archive has a root of its own that links to all of its blocks and is pinned, so that the host keeps them until
 * the last has come.
 */
export function createArchiveSender(
  { host, uploads, boundary, maxRequestBytes }: AddSettings,
  { cidVersion = 0, onBytes, ...options }: ArchiveOptions,
  readLines: typeof linesOf,
): ArchiveSender {
  const pool = createBufferPool()
  const capacity = Math.min(mostArchiveBytes, maxRequestBytes - mostFrameBytes)
  const pins: string[] = []
  let buffer: Uint8Array | undefined
  let at = 0
  /** The blocks of the archive, by the bytes of their CIDs. */
  let blocks = new Map<string, { readonly cid: CID; readonly length: number }>()
  let sent = 0
  let unsent = 0

  async function flush(): Promise<void> {
    if (blocks.size > 0) await send(await rootOf(blocks.values(), boundary()))
    if (unsent > 0) onBytes(unsent)
    unsent = 0
    at = 0
    blocks = new Map()
  }

  async function send(root: Section): Promise<void> {
    // Before the answer: a request that breaks off may have pinned it.
    pins.push(root.cid.toString())
    const mark = boundary()
    const { type, head, tail } = frameOf(mark)
    const start = [encoder.encode(head), carHeader(root.cid), sectionHead(root.cid, root.bytes.length), root.bytes]
    const body =
      uploads === 'stream'
        ? { type, content: slices(start, encoder.encode(tail)) }
        : onePart([...start.slice(1), buffer!.subarray(0, at)], mark)
    const { chunks } = await host.call('dag/import', { 'pin-roots': true, stats: true }, options, body)
    await expectRoot(readLines(chunks, host.redact), root.cid.toString(), host.redact)
    sent++
  }

  async function* slices(parts: readonly Uint8Array[], tail: Uint8Array): AsyncGenerator<Uint8Array> {
    yield* parts
    const content = unsent
    for (let from = 0; from < at; from += sliceBytes) {
      const to = Math.min(from + sliceBytes, at)
      yield buffer!.subarray(from, to)
      const left = content - Math.floor((content * to) / at)
      onBytes(unsent - left)
      unsent = left
    }
    yield tail
  }

  return {
    pool,
    get sent() {
      return sent
    },
    get isEmpty() {
      return blocks.size === 0
    },
    count: (bytes) => void (unsent += bytes),
    async write(bytes, codec) {
      const cid = await cidOfBlock(bytes, codec, cidVersion)
      const key = String.fromCharCode(...cid.bytes)
      if (blocks.has(key)) {
        pool.release(bytes)
        return cid
      }
      const head = sectionHead(cid, bytes.length)
      const length = head.length + bytes.length
      const isFull = at + length + (blocks.size + 1) * linkBytes > capacity || blocks.size === mostBlocks
      if (isFull) await flush()
      if (length + linkBytes > capacity) {
        const least = length + linkBytes + mostFrameBytes
        throw new IpfsError(
          'too_large',
          `maxRequestBytes (${maxRequestBytes}) has no room for a block of ${bytes.length} bytes and its frame: raise it to ${least}`,
        )
      }
      buffer ??= new Uint8Array(capacity)
      buffer.set(head, at)
      buffer.set(bytes, at + head.length)
      at += length
      blocks.set(key, { cid, length: bytes.length })
      pool.release(bytes)
      return cid
    },
    settle: flush,
    flush,
    async unpin(deadlineMs) {
      const { timeoutMs } = options
      // Without the signal of the upload, which may have aborted.
      const unpinning = deadlineMs === undefined ? { timeoutMs } : host.begin({ timeoutMs, deadlineMs })
      try {
        for (let cid = pins.shift(); cid !== undefined; cid = pins.shift()) {
          await host.json('pin/rm', { arg: cid }, unpinning).catch((thrown: unknown) => {
            if (!(thrown instanceof IpfsError && thrown.code === 'not_pinned')) throw thrown
          })
        }
      } catch {
        // The content is as it should be. A host that cannot remove the pins keeps its blocks for longer.
      }
    },
  }
}

const encoder = new TextEncoder()

interface Section {
  readonly cid: CID
  readonly bytes: Uint8Array
}

/** Makes the block that links to all blocks of an archive. `name`: makes it one of this upload alone. */
async function rootOf(
  blocks: Iterable<{ readonly cid: CID; readonly length: number }>,
  name: string,
): Promise<Section> {
  const Links = Array.from(blocks, ({ cid, length }) => ({ Hash: cid, Name: '', Tsize: length }))
  const bytes = encode({ Data: encoder.encode(name), Links })
  return { cid: await cidOfBlock(bytes, 'dag-pb', 1), bytes }
}

/** Reads the answer to an archive, which must tell that its root was pinned. @throws IpfsError `stream_error`, `truncated` */
async function expectRoot(
  lines: AsyncIterable<Record<string, unknown>>,
  cid: string,
  redact: (text: string) => string,
): Promise<void> {
  let isPinned = false
  let count = 0
  for await (const { Root } of lines) {
    const { Cid, PinErrorMsg: problem } = Object(Root) as { Cid?: unknown; PinErrorMsg?: unknown }
    if (problem) throw (await import('./refusal.ts')).brokenOff(String(problem), redact)
    isPinned ||= isSameCid((Object(Cid) as { '/'?: unknown })['/'], cid)
    if (++count > mostLines) throw new IpfsError('invalid_response', 'the answer has no end')
  }
  if (!isPinned) throw new IpfsError('truncated', 'the answer lacks the root of an archive: retry')
}
