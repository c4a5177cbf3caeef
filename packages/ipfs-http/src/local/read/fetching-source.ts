import type { CID } from 'multiformats/cid'
import { throwIfAborted, unlessAborted } from '../../abortable.ts'
import type { Clock } from '../../clock.ts'
import { codecCodes } from '../../codec-codes.ts'
import { IpfsError } from '../../error.ts'
import type { BlockSink, BlockSource, TakeBytes } from '../../unixfs/block-source.ts'
import { identityBytes, isIdentity } from '../../unixfs/identity.ts'
import { requireDigest } from '../../unixfs/multihash.ts'
import { fetchBlock } from './fetch-block.ts'
import type { CarShape } from './fetch-car.ts'
import { blame, type Gateway, parseGateway } from './gateway.ts'
import { type IncomingCar, openCar } from './incoming-car.ts'

/** Options of {@link fetchingSource}. */
export interface FetchingOptions {
  /** URLs of trustless gateways, in the order in which they are asked. If there are none, nothing is fetched. */
  readonly gateways: readonly string[]
  readonly fetch?: typeof fetch
  readonly clock: Clock
  /** Longest time that one gateway may take for one block, in ms. */
  readonly timeoutMs: number
}

export interface FetchingSource extends BlockSource {
  /** Makes a source for one reader of the DAG below `root`, which fetches it in as few requests as it can. */
  below(root: CID, shape: CarShape): BlockSource & { close(): void }
  /** Ends every fetch, with this error. */
  close(error: IpfsError): void
}

/** A fetch that several callers wait for. */
interface Flight {
  readonly bytes: Promise<Uint8Array>
  readonly controller: AbortController
  waiting: number
}

/**
 * Reads from `store`, and fetches blocks that it lacks from gateways. Each block is checked before it is stored and served.
 * Callers that want the same block at once share one fetch, which ends with the last of them. A gateway that sends wrong
 * bytes is not asked for ten minutes; one that does not answer is asked last for half a minute.
 *
 * A reader of a DAG first asks for an archive below the block that it misses. It asks for single blocks if no archive brings
 * them, or if the archive ends early. It has one archive at a time, and takes the blocks that other readers' archives are
 * about to bring.
 *
 * `get` throws IpfsError `not_found`, `timeout`, `connect`, `http_status`, `mismatch`, `too_large` (the last gateway's
 * reason, unless all lack the block), `bad_content` (a CID that no bytes can match; a broken block of the store that
 * could not be fetched again), `unsupported`, `aborted`, and those of the store.
 *
 * @throws IpfsError `bad_argument` for a gateway that is no URL
 */
export function fetchingSource(store: BlockSource & BlockSink, options: FetchingOptions): FetchingSource {
  const gateways = options.gateways.map(parseGateway)
  const flights = new Map<string, Flight>()
  const cars = new Set<IncomingCar>()
  /** Blocks of archives that came and are not yet stored. */
  const arriving = new Map<string, Promise<Uint8Array>>()
  /** The number of blocks that archives ever brought. */
  let arrived = 0
  let closed: IpfsError | undefined

  const usable = (): readonly Gateway[] => {
    const now = options.clock.now()
    return gateways
      .filter(({ bannedUntil }) => bannedUntil <= now)
      .toSorted((one, other) => Number(one.failingUntil > now) - Number(other.failingUntil > now))
  }

  const fly = (cid: CID): Flight => {
    const key = cid.toString()
    const known = flights.get(key)
    if (known !== undefined && !known.controller.signal.aborted) return known
    const controller = new AbortController()
    const bytes = fetchFromAny(cid, controller.signal)
    const flight: Flight = { bytes, controller, waiting: 0 }
    flights.set(key, flight)
    const land = (): void => {
      if (flights.get(key) === flight) flights.delete(key)
    }
    bytes.then(land, land)
    return flight
  }

  const fetchFromAny = async (cid: CID, signal: AbortSignal): Promise<Uint8Array> => {
    let reason: IpfsError | undefined
    for (const gateway of usable()) {
      let bytes: Uint8Array
      try {
        bytes = await fetchBlock(gateway, cid, { fetch, ...options }, signal)
      } catch (thrown) {
        throwIfAborted(signal)
        if (!(thrown instanceof IpfsError)) throw thrown
        blame(gateway, thrown, options.clock.now(), true)
        // Another gateway could not do better.
        if (['unsupported', 'bad_content'].includes(thrown.code)) throw thrown
        if (thrown.code !== 'not_found') reason = thrown
        continue
      }
      gateway.failingUntil = -Infinity
      await store.put(cid, bytes)
      return bytes
    }
    throw reason ?? notFound(cid)
  }

  const keep = (cid: CID, bytes: Uint8Array): Promise<Uint8Array> => {
    const key = keyOf(cid)
    const kept = store
      .put(cid, bytes)
      .then(() => bytes)
      .finally(() => arriving.delete(key))
    arriving.set(key, kept)
    arrived++
    return kept
  }

  const open = (cid: CID, shape: CarShape): IncomingCar => {
    const now = options.clock.now()
    const all = usable()
    const having = all.filter(({ noArchivesUntil }) => noArchivesUntil <= now)
    const hasOthers = having.length < all.length
    const car = openCar(cid, shape, { fetch, ...options, gateways: having, hasOthers, has: store.has, keep })
    for (const each of cars) if (each.isOver) cars.delete(each)
    cars.add(car)
    return car
  }

  const carTo = (cid: CID): IncomingCar | undefined => {
    for (const car of cars) if (car.expects(cid)) return car
    return undefined
  }

  /** Looks for a block here. Returns the error if it is not. */
  const look = async (cid: CID, signal: AbortSignal, take?: TakeBytes): Promise<Uint8Array | IpfsError> => {
    const kept = arriving.size === 0 ? undefined : arriving.get(keyOf(cid))
    if (kept !== undefined) return await unlessAborted(kept, signal)
    try {
      return await store.get(cid, signal, take)
    } catch (thrown) {
      if (thrown instanceof IpfsError && ['not_found', 'bad_content'].includes(thrown.code)) return thrown
      throw thrown
    }
  }

  const read = async (
    cid: CID,
    signal: AbortSignal,
    openBelow: (cid: CID) => IncomingCar | undefined,
    take?: TakeBytes,
  ): Promise<Uint8Array> => {
    if (isIdentity(cid)) return identityBytes(cid)
    const before = arrived
    const found = await look(cid, signal, take)
    if (!(found instanceof IpfsError)) return found
    const broken = found.code === 'bad_content' ? found : undefined
    if (gateways.length === 0) {
      throw broken ?? new IpfsError('not_found', `block was not found locally (offline): ipld: could not find ${cid}`)
    }
    throwIfAborted(signal)
    // Otherwise a CID that no bytes can match would get all gateways banned.
    await requireDigest(cid)
    try {
      let car = carTo(cid)
      if (car === undefined) {
        // The block may have come during the search.
        const again = arrived === before ? found : await look(cid, signal)
        if (!(again instanceof IpfsError)) return again
        car = carTo(cid) ?? openBelow(cid)
      }
      const come = await car?.reach(cid, signal)
      if (come !== undefined) return come
      const passed = car === undefined || arrived === before ? found : await look(cid, signal)
      if (!(passed instanceof IpfsError)) return passed
      if (closed !== undefined) throw closed
      return await waitFor(fly(cid), signal)
    } catch (thrown) {
      if (!(thrown instanceof IpfsError) || thrown.code !== 'not_found') throw thrown
      throw broken ?? notFound(cid)
    }
  }

  return {
    has: (cid) => store.has(cid),
    get: (cid, signal, take) => read(cid, signal, () => undefined, take),
    below(root, shape) {
      let mine: IncomingCar | undefined
      return {
        has: (cid) => store.has(cid),
        get(cid, signal, take) {
          const openBelow = (missing: CID): IncomingCar | undefined => {
            if (missing.code === codecCodes.raw || mine?.hasMore) return undefined
            // The place of another block in the file is unknown.
            if (shape.range !== undefined && (mine !== undefined || !missing.equals(root))) return undefined
            mine = open(missing, shape)
            return mine
          }
          return read(cid, signal, openBelow, take)
        },
        close: () => mine?.leave(),
      }
    },
    close(error) {
      closed = error
      for (const { controller } of flights.values()) controller.abort(error)
      for (const car of cars) car.close()
    },
  }
}

function keyOf({ multihash }: CID): string {
  return Buffer.from(multihash.bytes).toString('latin1')
}

function notFound(cid: CID): IpfsError {
  return new IpfsError('not_found', `block was not found at any gateway: ipld: could not find ${cid}`)
}

/** Waits for a flight. Rejects when `signal` aborts, and ends the flight if nobody else waits. */
async function waitFor(flight: Flight, signal: AbortSignal): Promise<Uint8Array> {
  flight.waiting++
  try {
    return await unlessAborted(flight.bytes, signal)
  } finally {
    if (--flight.waiting === 0) flight.controller.abort()
  }
}
