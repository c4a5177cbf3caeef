import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { CID } from 'multiformats/cid'
import { throwIfAborted } from '../abortable.ts'
import type { BackendCall, IpfsBackend, IpfsPath, PinProgress } from '../backend.ts'
import type { Clock } from '../clock.ts'
import { systemClock } from '../defaults.ts'
import { IpfsError } from '../error.ts'
import { addEntries } from './add.ts'
import { createBlockWriter } from '../unixfs/add-blocks.ts'
import type { BlockSink, BlockSource } from '../unixfs/block-source.ts'
import { type BlockStore, openBlockStore } from './block-store.ts'
import { createClosing } from './closing.ts'
import { collectBlocks } from './collect.ts'
import { randomPublicKey } from './defaults.ts'
import { diskError } from '../disk-error.ts'
import { makeFolder, syncFolder } from './disk.ts'
import { type Identity, readIdentity } from './disk-identity.ts'
import { lockFolder } from './disk-lock.ts'
import { createHolds, type Hold } from './holds.ts'
import { putBlock } from '../unixfs/put-block.ts'
import { catFile } from './read/cat-file.ts'
import { exportCar } from './read/export-car.ts'
import { fetchingSource } from './read/fetching-source.ts'
import { type CarEvent, importCar } from './read/import-car.ts'
import { resolvePath } from './read/resolve-path.ts'
import { tarOf } from './read/tar-of.ts'
import { walkDag } from './read/walk-dag.ts'

/** The longest block that others take, and that is imported or fetched here, in bytes. */
const usualBlockBytes = 2 * 1024 * 1024

/** Options of {@link createLocalBackend}. */
export interface LocalBackendOptions {
  /** The folder of the store, which is made if it is missing. Only one process at a time can have it open. */
  readonly dir: string
  readonly clock?: Clock
  /** URLs of trustless gateways, which are asked for content that is not here. Default: none, so nothing is fetched. */
  readonly gateways?: readonly string[]
  /** Longest time that one gateway may take for one block, in ms. Default 30,000. */
  readonly gatewayTimeoutMs?: number
  readonly fetch?: typeof fetch
  /** Longest block that is added or put, in bytes. Default 2 MiB, the longest that others take. */
  readonly maxBlockBytes?: number
  /**
   * Whether blocks of 64 KiB and more are written past the cache of the system, and read past it the first time. Useful for
   * content that comes faster than it is read. Only on Linux; other file systems are written to as usual. Default false.
   */
  readonly direct?: boolean
  /** The version that `version` and `id` tell. Default: that of this package. */
  readonly version?: string
  /** Makes an ed25519 public key of 32 bytes, once for each store. */
  readonly newKey?: () => Uint8Array
}

/** A backend whose blocks are files of this machine. It collects only when `collect` is called. */
export interface LocalBackend extends IpfsBackend {
  readonly name: 'local'
  readonly collect: NonNullable<IpfsBackend['collect']>
}

/**
 * Opens a store, and removes files that a killed process has left half written. `close` ends the calls that run, and resolves
 * when nothing is being written any more.
 * @throws IpfsError `storage` (in use by another process, no permission, …), `bad_argument` (a gateway that is no URL)
 */
export async function createLocalBackend(options: LocalBackendOptions): Promise<LocalBackend> {
  const { dir, clock = systemClock, gateways = [], gatewayTimeoutMs: timeoutMs = 30_000 } = options
  const { maxBlockBytes = usualBlockBytes, version = ownVersion(), newKey = randomPublicKey } = options

  const { store, identity, unlock } = await openFolder(dir, newKey, options.direct ?? false)
  const source = fetchingSource(store, { gateways, clock, timeoutMs, ...(options.fetch && { fetch: options.fetch }) })
  const holds = createHolds()
  const closing = createClosing('the local store')
  let collecting: Promise<unknown> = Promise.resolve()
  let closed: Promise<void> | undefined

  /** Runs an iteration that keeps the blocks it uses until it ends. */
  const holding = <T>(
    call: BackendCall,
    start: (hold: Hold, signal: AbortSignal) => AsyncIterable<T>,
  ): AsyncGenerator<T> =>
    closing.iterate(call.signal, async function* (signal) {
      const hold = holds.open()
      try {
        yield* start(hold, signal)
      } finally {
        hold.release()
      }
    })

  const close = (): Promise<void> => {
    closing.close()
    source.close(new IpfsError('closed', 'the local store was closed'))
    closed ??= store.close().then(unlock)
    return closed
  }

  return {
    name: 'local',

    add: (entries, addOptions, call) =>
      holding(call, (hold, signal) => {
        const sink = addOptions.onlyHash ? undefined : keepingSink(store, hold)
        const writer = (build: Parameters<typeof createBlockWriter>[0]): ReturnType<typeof createBlockWriter> =>
          createBlockWriter(build, maxBlockBytes, sink)
        return addEntries(entries, addOptions, { writer, sync: store.sync }, signal)
      }),

    async cat(path, range, { signal }) {
      const { offset: from, length } = range
      const shape = {
        scope: 'entity',
        range: from > 0n || length !== undefined ? { from, length } : undefined,
      } as const
      const place = await placeOf(source, path, signal)
      const below = source.below(place.cid, shape)
      const { size, bytes } = await orClosed(catFile(below, place, range, signal), below)
      return { size, bytes: thenClosed(bytes, below) }
    },
    async get(path, name, { signal }) {
      const place = await placeOf(source, path, signal)
      const below = source.below(place.cid, { scope: 'all' })
      const now = BigInt(Math.floor(clock.date() / 1000))
      return thenClosed(await orClosed(tarOf(below, place, name, signal, now), below), below)
    },
    resolve: (path, { signal }) => resolvePath(source, path, signal),
    getBlock: (cid, { signal }) => source.get(cid, signal),
    async exportCar(cid, { signal }) {
      const below = source.below(cid, { scope: 'all' })
      return thenClosed(await orClosed(exportCar(below, cid, signal), below), below)
    },

    putBlock: (bytes, kind, call) =>
      closing.run(call.signal, async (signal) => {
        throwIfAborted(signal)
        const hold = holds.open()
        try {
          const cid = await putBlock(bytes, kind, keepingSink(store, hold), maxBlockBytes)
          await store.sync()
          return cid
        } finally {
          hold.release()
        }
      }),

    importCar: (car, call) =>
      holding(call, (hold, signal) => synced(importCar(car, keepingSink(store, hold), signal), store)),

    hold: (cid, { recursive }, call) =>
      holding(call, (hold, signal) => {
        if (!recursive) return walk(keepingSource(source, hold), store, cid, recursive, signal)
        const below = source.below(cid, { scope: 'all' })
        return thenClosed(walk(keepingSource(below, hold), store, cid, recursive, signal), below)
      }),

    // Pins are not stored here: the next collection is given those that are left.
    release: async () => {},

    collect: (roots, call) =>
      closing.run(call.signal, (signal) => {
        const now = collecting.catch(() => undefined).then(() => collectBlocks(store, holds, roots, signal))
        collecting = now
        return now
      }),

    version: async () => ({
      Version: version,
      Commit: '',
      Repo: '',
      System: `${process.arch}/${process.platform}`,
      Golang: '',
    }),

    id: async () => ({
      ID: identity.id,
      PublicKey: identity.publicKey,
      Addresses: [],
      AgentVersion: `wayleave/${version}`,
      Protocols: [],
    }),

    close,
    [Symbol.asyncDispose]: close,
  }
}

async function openFolder(
  dir: string,
  newKey: () => Uint8Array,
  direct: boolean,
): Promise<{ readonly store: BlockStore; readonly identity: Identity; readonly unlock: () => Promise<void> }> {
  try {
    const isNew = await makeFolder(dir)
    const unlock = await lockFolder(dir)
    try {
      const identity = await readIdentity(dir, newKey)
      const store = await openBlockStore(join(dir, 'blocks'), { direct })
      // The name of the folder must be as safe as its content.
      await syncFolder(dir)
      if (isNew) await syncFolder(dirname(resolve(dir)))
      return { store, identity, unlock }
    } catch (error) {
      await unlock()
      throw error
    }
  } catch (error) {
    throw diskError(error, `${dir} cannot be opened as a store`)
  }
}

function keepingSink(sink: BlockSink, hold: Hold): BlockSink {
  return {
    put(cid, bytes) {
      // Comes first, because a collection that runs has to see it.
      hold.keep(cid.multihash.bytes)
      return sink.put(cid, bytes)
    },
  }
}

function keepingSource(source: BlockSource, hold: Hold): BlockSource {
  return {
    has: (cid) => source.has(cid),
    get(cid, signal) {
      // Comes first: a collection that comes later leaves the block, and after an earlier one it is `not_found`.
      hold.keep(cid.multihash.bytes)
      return source.get(cid, signal)
    },
  }
}

/** Resolves a path to a place without segments. The blocks on the way are fetched one by one. */
async function placeOf(source: BlockSource, path: IpfsPath, signal: AbortSignal): Promise<IpfsPath> {
  const { cid, remainder } = await resolvePath(source, path, signal)
  return { cid, segments: remainder }
}

async function orClosed<T>(opening: Promise<T>, below: { close(): void }): Promise<T> {
  try {
    return await opening
  } catch (thrown) {
    below.close()
    throw thrown
  }
}

async function* thenClosed<T>(items: AsyncIterable<T>, below: { close(): void }): AsyncGenerator<T> {
  try {
    yield* items
  } finally {
    below.close()
  }
}

const blocksPerStep = 256

async function* walk(
  source: BlockSource,
  store: BlockStore,
  cid: CID,
  recursive: boolean,
  signal: AbortSignal,
): AsyncGenerator<PinProgress> {
  let [blocks, bytes] = [0, 0n]
  for await (const { size } of walkDag(source, cid, { recursive }, signal)) {
    blocks++
    bytes += BigInt(size)
    if (blocks % blocksPerStep === 0) yield { blocks, bytes, whole: false }
  }
  await store.sync()
  yield { blocks, bytes, whole: true }
}

async function* synced(events: AsyncIterable<CarEvent>, store: BlockStore): AsyncGenerator<CarEvent> {
  let isSynced = false
  for await (const event of events) {
    if (event.type === 'root' && !isSynced) await store.sync()
    isSynced ||= event.type === 'root'
    yield event
  }
}

function ownVersion(): string {
  const file = new URL('../../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version
}
