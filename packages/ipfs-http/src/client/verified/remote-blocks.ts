import { countBytes } from '#count-bytes'
import type { CID } from 'multiformats/cid'
import { throwIfAborted } from '../../abortable.ts'
import { IpfsError } from '../../error.ts'
import { type CarSection, createCarReader } from '../../unixfs/car-reader.ts'
import { gather } from '../../unixfs/gather.ts'
import type { IpfsCallOptions } from '../client.ts'
import type { Host } from '../host.ts'
import { checkBlock, inlineBlock, mostBlockBytes } from './check-block.ts'

/** Blocks of one host, each checked against its CID. */
export interface RemoteBlocks {
  /** Reads a block. @throws IpfsError `mismatch`, `unsupported` if the host gives no blocks, and the errors of its calls */
  get(cid: CID): Promise<Uint8Array>
  /** Tells the blocks that will be asked for next. */
  expect(cids: readonly CID[]): void
  /** Ends the requests that run. */
  close(): void
}

/** The calls that a host was found not to have. */
export type Lacks = Set<'dag/export' | 'block/get'>

/** Statuses by which a host says that it has no such call. */
const absent: ReadonlySet<number | undefined> = new Set([403, 404, 405, 501])
const mostAtOnce = 8

/** Reads one block by `block/get`, and checks it. */
async function fetchBlock(host: Host, lacks: Lacks, cid: CID, options: IpfsCallOptions): Promise<Uint8Array> {
  const missing = (cause?: unknown): IpfsError =>
    new IpfsError('unsupported', 'the host gives no blocks (block/get)', { cause })
  if (lacks.has('block/get')) throw missing()
  try {
    const { chunks } = await host.call('block/get', { arg: cid.toString() }, options)
    const bytes = await gather(chunks, mostBlockBytes)
    await checkBlock(cid, bytes)
    return bytes
  } catch (thrown) {
    if (!(thrown instanceof IpfsError) || thrown.code !== 'http_status' || !absent.has(thrown.status)) throw thrown
    if (thrown.status !== 403) lacks.add('block/get')
    throw missing(thrown)
  }
}

/** Reads blocks one by one, a few ahead of the reader. */
export function blocksByGet(host: Host, lacks: Lacks, options: IpfsCallOptions): RemoteBlocks {
  const controller = new AbortController()
  const abort = (): void => controller.abort(options.signal?.reason)
  options.signal?.addEventListener('abort', abort, { once: true })
  if (options.signal?.aborted) abort()
  const fetching = new Map<string, Promise<Uint8Array>>()

  function ask(cid: CID): Promise<Uint8Array> {
    const fetched = fetchBlock(host, lacks, cid, { ...options, signal: controller.signal })
    // Perhaps nobody will ask for it.
    fetched.catch(() => {})
    return fetched
  }

  return {
    async get(cid) {
      const inline = inlineBlock(cid)
      if (inline !== undefined) return inline
      const key = cid.toString()
      const fetched = fetching.get(key) ?? ask(cid)
      fetching.delete(key)
      return fetched
    },
    expect(cids) {
      for (const cid of cids) {
        const key = cid.toString()
        if (fetching.size >= mostAtOnce) return
        if (inlineBlock(cid) === undefined && !fetching.has(key)) fetching.set(key, ask(cid))
      }
    },
    close() {
      options.signal?.removeEventListener('abort', abort)
      controller.abort()
    },
  }
}

/** Most blocks by which an archive may differ from the order of the walk, before single blocks are asked for. */
const mostAhead = 4
/** Most such differences in a row, before the archive is given up. */
const mostMisses = 16
/** Most bytes of blocks that were passed or used, and may be needed again: an archive holds each only once. */
const mostHeldBytes = 1 << 23
/** Cost of each of those blocks beside its bytes. */
const entryBytes = 256

/** Reads the blocks below `root` from one `dag/export`, which sends them in the order of a walk; undefined if the host has no such call. */
export async function blocksByExport(
  host: Host,
  lacks: Lacks,
  root: CID,
  options: IpfsCallOptions,
): Promise<RemoteBlocks | undefined> {
  if (lacks.has('dag/export')) return undefined
  const answer = await host.call('dag/export', { arg: root.toString() }, options).catch((thrown: unknown) => {
    if (!(thrown instanceof IpfsError) || thrown.code !== 'http_status') throw thrown
    if (absent.has(thrown.status)) lacks.add('dag/export')
    return undefined
  })
  if (answer === undefined) return undefined

  const single = blocksByGet(host, lacks, options)
  const { signal = new AbortController().signal } = options
  const sections = carSections(answer.chunks)
  const held = new Map<string, Uint8Array>()
  let heldBytes = 0
  let misses = 0
  let ended = false
  let isOfUse = false
  let last: Promise<unknown> = Promise.resolve()

  function hold(section: CarSection): void {
    // A small view would keep the whole chunk in memory.
    const bytes = section.bytes.byteLength * 2 < section.bytes.buffer.byteLength ? section.bytes.slice() : section.bytes
    held.set(keyOf(section.cid), bytes)
    heldBytes += bytes.byteLength + entryBytes
    for (const [key, each] of held) {
      if (heldBytes <= mostHeldBytes) return
      heldBytes -= each.byteLength + entryBytes
      held.delete(key)
    }
  }

  async function find(key: string): Promise<Uint8Array | undefined> {
    const most = misses < mostMisses ? mostAhead : -1
    for (let misfits = 0; !ended && !held.has(key) && misfits <= most; misfits++) {
      const { done, value } = await sections.next()
      if (done) ended = true
      else if (!held.has(keyOf(value.cid))) hold(value)
    }
    return held.get(key)
  }

  async function get(cid: CID): Promise<Uint8Array> {
    throwIfAborted(signal)
    const found = await find(keyOf(cid))
    if (found !== undefined) {
      misses = 0
      await checkBlock(cid, found)
      isOfUse = true
      return found
    }
    misses++
    try {
      return await single.get(cid)
    } catch (cause) {
      // Before the archive was of use, there may be another way to read the content.
      if (isOfUse && !ended && cause instanceof IpfsError && cause.code === 'unsupported') {
        throw new IpfsError('invalid_response', `the archive of blocks does not hold ${cid} where it belongs`, {
          cause,
        })
      }
      if (!ended || !(cause instanceof IpfsError) || !['unsupported', 'http_status', 'not_found'].includes(cause.code))
        throw cause
      throw new IpfsError('truncated', `the archive of blocks ended without ${cid}: the host broke off, or lacks it`, {
        cause,
      })
    }
  }

  return {
    get(cid) {
      const inline = inlineBlock(cid)
      if (inline !== undefined) return Promise.resolve(inline)
      const mine = last.then(() => get(cid))
      last = mine.catch(() => {})
      return mine
    },
    expect() {},
    close() {
      single.close()
      void answer.chunks.return?.()
    },
  }
}

/** The blocks of an archive as they come. @throws IpfsError `invalid_response`, `truncated`, `too_large` */
async function* carSections(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<CarSection> {
  const reader = createCarReader(chunks, {
    headerBytes: mostBlockBytes,
    blockBytes: mostBlockBytes,
    cidBytes: 1024,
    invalid(reason, cause) {
      return new IpfsError('invalid_response', `expected an archive of blocks (CARv1): ${reason}`, { cause })
    },
    truncated: (what) => new IpfsError('truncated', `the archive of blocks ended within ${what}: retry`),
    // A copy becomes garbage as soon as what came.
    onCopy: (bytes) => countBytes(bytes),
  })
  // The roots say nothing that the caller does not know already.
  await reader.header()
  for (let next = await reader.section(); next !== undefined; next = await reader.section()) yield next
}

/** Returns the same key for both versions of a CID: not every archive names blocks as their parents do. */
function keyOf(cid: CID): string {
  return cid.toV1().toString()
}
