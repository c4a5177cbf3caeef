import { throwIfAborted } from '../abortable.ts'
import type { PinProgress } from '../backend.ts'
import type { BlockWriter } from '../unixfs/add-blocks.ts'
import type { BlockSink, BlockSource } from '../unixfs/block-source.ts'
import { diskBytesOf } from '../unixfs/disk-bytes.ts'
import type { CID } from 'multiformats/cid'
import type { BlockStore } from './block-store.ts'
import type { Hold } from './holds.ts'
import type { CarEvent } from './read/import-car.ts'
import { walkDag } from './read/walk-dag.ts'
import { blockCost, type Slices } from './slices.ts'

/** The owner of the blocks of a call: it keeps them from collections. */
export interface BlockOwner {
  readonly lane: string
  readonly hold: Hold
  /** Counts a block that is about to be made. @throws IpfsError `too_large`, `aborted` once the stage has ended */
  count(): void
  put(cid: CID, bytes: Uint8Array): Promise<void>
  /** The length of a block that the call has put, and keeps from collections, in bytes. */
  writtenSize(multihash: Uint8Array): number | undefined
  /** The bytes of a short block that the call has written, which its walk need not read; undefined where they are not kept. */
  writtenBytes(multihash: Uint8Array): Uint8Array | undefined
  /** Notes a block that is here and reachable from a root that the call may pin. */
  use(multihash: Uint8Array): void
}

/** Owns the blocks of a call without a stage: they may be pinned at any time, so `settle` takes them off the account at once. */
export function ownerWithoutStage(store: BlockSink, hold: Hold, settle: (multihash: Uint8Array) => void): BlockOwner {
  return {
    lane: '',
    hold,
    count() {},
    async put(cid, bytes) {
      hold.keep(cid.multihash.bytes)
      await store.put(cid, bytes)
      settle(cid.multihash.bytes)
    },
    writtenSize: () => undefined,
    writtenBytes: () => undefined,
    use: settle,
  }
}

/** Counts the blocks of a writer and has them wait for their turns. Throws `aborted` once the signal is. */
export function inTurns(writer: BlockWriter, owner: BlockOwner, slices: Slices, signal: AbortSignal): BlockWriter {
  return {
    ...writer,
    async write(bytes, codec) {
      await takeTurn(owner, slices, bytes, signal)
      return writer.write(bytes, codec)
    },
  }
}

/** Takes blocks for their owner, which are counted and wait for their turns. Throws `aborted` once the signal is. */
export function sinkInTurns(owner: BlockOwner, slices: Slices, signal: AbortSignal): BlockSink {
  return {
    async put(cid, bytes) {
      await takeTurn(owner, slices, bytes, signal)
      await owner.put(cid, bytes)
    },
  }
}

async function takeTurn(owner: BlockOwner, slices: Slices, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  owner.count()
  await slices.turn(owner.lane, bytes.length + blockCost)
  // A few bytes that came with others can be many blocks, so that nothing else would notice for long.
  throwIfAborted(signal)
}

/** Takes the blocks of an upload, all of which are reachable from its roots. */
export function sinkOfDag(owner: BlockOwner): BlockSink {
  return {
    async put(cid, bytes) {
      await owner.put(cid, bytes)
      owner.use(cid.multihash.bytes)
    },
  }
}

/** Reads blocks that their reader may pin. */
function sourceOf(source: BlockSource, owner: BlockOwner): BlockSource {
  return {
    has: (cid) => source.has(cid),
    knownSize(cid) {
      const size = owner.writtenSize(cid.multihash.bytes)
      if (size !== undefined) owner.use(cid.multihash.bytes)
      return size
    },
    async get(cid, signal) {
      // Comes first: a collection that comes later leaves the block, and after an earlier one it is `not_found`.
      owner.hold.keep(cid.multihash.bytes)
      const bytes = owner.writtenBytes(cid.multihash.bytes) ?? (await source.get(cid, signal))
      owner.use(cid.multihash.bytes)
      return bytes
    },
  }
}

/** Blocks between two steps. */
const blocksPerStep = 256

/** Walks a DAG that may be pinned, and tells how much of it is here. */
export async function* holdDag(
  source: BlockSource,
  store: BlockStore,
  owner: BlockOwner,
  cid: CID,
  recursive: boolean,
  signal: AbortSignal,
): AsyncGenerator<PinProgress> {
  let [blocks, bytes, diskBytes] = [0, 0n, 0n]
  for await (const { cid: met, size } of walkDag(sourceOf(source, owner), cid, { recursive }, signal)) {
    blocks++
    bytes += BigInt(size)
    diskBytes += BigInt(diskBytesOf(met, size))
    if (blocks % blocksPerStep === 0) yield { blocks, bytes, diskBytes, whole: false }
  }
  throwIfAborted(signal)
  await store.sync()
  yield { blocks, bytes, diskBytes, whole: true }
}

/** Yields the events of an import, whose roots come once its blocks survive a loss of power. */
export async function* synced(events: AsyncIterable<CarEvent>, store: BlockStore): AsyncGenerator<CarEvent> {
  let isSynced = false
  for await (const event of events) {
    if (event.type === 'root' && !isSynced) await store.sync()
    isSynced ||= event.type === 'root'
    yield event
  }
}
