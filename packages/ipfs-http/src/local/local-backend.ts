import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { CID } from 'multiformats/cid'
import { decode as decodeDigest } from 'multiformats/hashes/digest'
import { throwIfAborted } from '../abortable.ts'
import type { BackendCall, IpfsBackend, IpfsPath, PinnedRoot } from '../backend.ts'
import type { Clock } from '../clock.ts'
import { codecCodes } from '../codec-codes.ts'
import { systemClock } from '../defaults.ts'
import { IpfsError } from '../error.ts'
import { addEntries } from './add.ts'
import { createBlockWriter } from '../unixfs/add-blocks.ts'
import type { BlockSink, BlockSource } from '../unixfs/block-source.ts'
import { diskBytesOf } from '../unixfs/disk-bytes.ts'
import { type BlockStore, openBlockStore } from './block-store.ts'
import { createClosing } from './closing.ts'
import { type Collected, collectBlocks } from './collect.ts'
import { onNextTurn } from './defaults.ts'
import { diskError } from '../disk-error.ts'
import { makeFolder, syncFolder } from './disk.ts'
import { type Identity, readIdentity } from './disk-identity.ts'
import { lockFolder } from './disk-lock.ts'
import { createHolds } from './holds.ts'
import { type BlockOwner, holdDag, inTurns, sinkInTurns, sinkOfDag, synced } from './owned.ts'
import { isIdentity } from '../unixfs/identity.ts'
import { putBlock } from '../unixfs/put-block.ts'
import { catFile } from './read/cat-file.ts'
import { exportCar } from './read/export-car.ts'
import { fetchingSource } from './read/fetching-source.ts'
import { importCar } from './read/import-car.ts'
import { resolvePath } from './read/resolve-path.ts'
import { tarOf } from './read/tar-of.ts'
import { createSlices } from './slices.ts'
import { createStaging } from './staging.ts'

/** Longest time that one gateway may take for one block, in ms. */
const gatewayTimeoutMs = 30_000

/** Options of {@link createLocalBackend}. */
export interface LocalBackendOptions {
  /** The folder of the store, which is made if it is missing. Only one process at a time can have it open. */
  readonly dir: string
  readonly clock?: Clock
  /** URLs of trustless gateways, which are asked for content that is not here. Default: none, so nothing is fetched. */
  readonly gateways?: readonly string[]
  readonly fetch?: typeof fetch
  /** The version that `version` and `id` tell. Default: that of this package. */
  readonly version?: string
}

/** A backend whose blocks are files of this machine. It collects only when `collect` is called. */
export interface LocalBackend extends IpfsBackend {
  readonly name: 'local'
  /** Names the store: the line of `identity` in its folder, made at random with the folder. */
  readonly store: string
  readonly collect: NonNullable<IpfsBackend['collect']>
  readonly stage: NonNullable<IpfsBackend['stage']>
  readonly diskUse: NonNullable<IpfsBackend['diskUse']>
}

/**
 * Opens a store, and removes files that a killed process has left half written. `close` ends the calls that run, and resolves
 * when nothing is being written any more.
 * @throws IpfsError `storage` (in use by another process, no permission, …), `bad_argument` (a gateway that is no URL)
 */
export async function createLocalBackend(options: LocalBackendOptions): Promise<LocalBackend> {
  const { dir, clock = systemClock, gateways = [], version = ownVersion() } = options

  const { store, identity, unlock } = await openFolder(dir)
  /** Fetches and releases since the start, which make unpinned content, and those of them that a collection has seen. */
  const since = { bytes: 0, releases: 0, seenBytes: 0, seenReleases: 0 }
  const fetchedStore: BlockSource & BlockSink = {
    ...store,
    put: (cid, bytes) => store.put(cid, bytes, () => void (since.bytes += diskBytesOf(cid, bytes.length))),
  }
  const source = fetchingSource(fetchedStore, {
    gateways,
    clock,
    timeoutMs: gatewayTimeoutMs,
    ...(options.fetch && { fetch: options.fetch }),
  })
  const holds = createHolds()
  const staging = createStaging(store, holds)
  const slices = createSlices(onNextTurn)
  const closing = createClosing('the local store')
  let collecting: Promise<unknown> = Promise.resolve()
  let closed: Promise<void> | undefined

  /** Runs an iteration that keeps the blocks it uses until it ends, or until its stage does. */
  const holding = <T>(
    call: BackendCall,
    start: (owner: BlockOwner, signal: AbortSignal) => AsyncIterable<T>,
  ): AsyncGenerator<T> =>
    closing.iterate(call.signal, (signal) => staging.own(call.staged, (owner) => start(owner, signal)))

  const collect = async (roots: () => AsyncIterable<PinnedRoot>, signal: AbortSignal): Promise<Collected> => {
    const { bytes, releases } = since
    const collected = await collectBlocks(store, holds, roots, signal, staging.settle)
    Object.assign(since, { seenBytes: bytes, seenReleases: releases })
    return collected
  }

  const close = (): Promise<void> => {
    closing.close()
    source.close(new IpfsError('closed', 'the local store was closed'))
    closed ??= store.close().then(unlock)
    return closed
  }

  return {
    name: 'local',
    store: identity.line,

    add: (entries, addOptions, call) =>
      holding(call, (owner, signal) => {
        const sink = addOptions.onlyHash ? undefined : sinkOfDag(owner)
        const writer = (build: Parameters<typeof createBlockWriter>[0]): ReturnType<typeof createBlockWriter> =>
          inTurns(createBlockWriter(build, sink), owner, slices, signal)
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
    getBlock: (cid, { signal, isLocal }) => (isLocal === true ? store : source).get(cid, signal),
    hasBlock: (cid) => store.has(cid),
    async removeBlock(cid, { lane = '' }) {
      if (isIdentity(cid)) return 'removed'
      if (await staging.removeLeft(cid.multihash.bytes, lane)) return 'removed'
      return (await store.has(cid)) ? 'held' : 'missing'
    },
    *unpinnedBlocks({ lane = '' }) {
      for (const multihash of staging.unused(lane)) yield CID.createV1(codecCodes.raw, decodeDigest(multihash))
    },
    async exportCar(cid, { signal }) {
      const below = source.below(cid, { scope: 'all' })
      return thenClosed(await orClosed(exportCar(below, cid, signal), below), below)
    },

    async putBlock(bytes, kind, call) {
      const put = async function* (owner: BlockOwner, signal: AbortSignal): AsyncGenerator<CID> {
        throwIfAborted(signal)
        const cid = await putBlock(bytes, kind, sinkInTurns(owner, slices, signal))
        await store.sync()
        yield cid
      }
      let cid: CID | undefined
      for await (cid of holding(call, put));
      return cid!
    },

    importCar: (car, call) =>
      holding(call, (owner, signal) => synced(importCar(car, sinkInTurns(owner, slices, signal), signal), store)),

    hold: (cid, { recursive }, call) =>
      holding(call, (owner, signal) => {
        if (!recursive) return holdDag(source, store, owner, cid, recursive, signal)
        const below = source.below(cid, { scope: 'all' })
        return thenClosed(holdDag(below, store, owner, cid, recursive, signal), below)
      }),

    // Pins are not stored here: the next collection is given those that are left.
    async release(_, { bytes = 0n }) {
      since.releases++
      since.bytes += Number(bytes)
    },

    stage: staging.open,
    async diskUse() {
      const { freeBytes, isFull } = await store.headroom.look()
      return {
        freeBytes,
        isFull,
        unpinnedBytes: staging.leftBytes + since.bytes - since.seenBytes,
        hasReleased: since.releases > since.seenReleases,
      }
    },

    collect: (roots, call) =>
      closing.run(call.signal, (signal) => {
        const now = collecting.catch(() => undefined).then(() => collect(roots, signal))
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
): Promise<{ readonly store: BlockStore; readonly identity: Identity; readonly unlock: () => Promise<void> }> {
  try {
    const isNew = await makeFolder(dir)
    const unlock = await lockFolder(dir)
    try {
      const identity = await readIdentity(dir)
      const store = await openBlockStore(join(dir, 'blocks'))
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

function ownVersion(): string {
  const file = new URL('../../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version
}
