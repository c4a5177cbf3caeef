import type { CID } from 'multiformats/cid'
import type { Clock } from '../../clock.ts'
import { IpfsError } from '../../error.ts'
import type { BlockSink, BlockSource } from '../../unixfs/block-source.ts'
import { fetchBlock, type Gateway, parseGateway } from './fetch-block.ts'
import { isIdentity } from '../../unixfs/identity.ts'
import { throwIfAborted } from '../../unixfs/load-block.ts'
import { requireDigest } from '../../unixfs/multihash.ts'

/** Where blocks come from that the store lacks. */
export interface FetchingOptions {
  /** URLs of trustless gateways, in the order in which they are asked; none: nothing is fetched. */
  readonly gateways: readonly string[]
  readonly fetch?: typeof fetch
  readonly clock: Clock
  /** Longest time that one gateway may take for one block, in ms. */
  readonly timeoutMs: number
}

export interface FetchingSource extends BlockSource {
  /** Ends every fetch, with this error. */
  close(error: IpfsError): void
}

/** A fetch that several callers wait for. */
interface Flight {
  readonly bytes: Promise<Uint8Array>
  readonly controller: AbortController
  waiting: number
}

const banMs = 600_000
const failingMs = 30_000

/**
 * Reads from `store`, and fetches what it lacks from gateways: each block is checked before it is stored and served, and
 * callers who want the same at once share one fetch, which ends with the last of them. Who sends wrong bytes is not asked
 * for ten minutes; who does not answer is asked last for half a minute.
 *
 * `get` throws IpfsError `not_found`, `timeout`, `connect`, `http_status`, `mismatch`, `too_large` (the last gateway's
 * reason, where not all lack the block), `bad_content` (a CID that no bytes can match; a broken block of the store that
 * could not be fetched again), `unsupported`, `aborted`, and what the store throws.
 *
 * @throws IpfsError `bad_argument` for a gateway that is no URL
 */
export function fetchingSource(store: BlockSource & BlockSink, options: FetchingOptions): FetchingSource {
  const gateways = options.gateways.map(parseGateway)
  const flights = new Map<string, Flight>()

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
    const now = options.clock.now()
    const asked = gateways
      .filter(({ bannedUntil }) => bannedUntil <= now)
      .toSorted((one, other) => Number(one.failingUntil > now) - Number(other.failingUntil > now))
    let reason: IpfsError | undefined
    for (const gateway of asked) {
      let bytes: Uint8Array
      try {
        bytes = await fetchBlock(gateway, cid, { fetch, ...options }, signal)
      } catch (thrown) {
        throwIfAborted(signal)
        if (!(thrown instanceof IpfsError) || !judge(gateway, thrown)) throw thrown
        if (thrown.code !== 'not_found') reason = thrown
        continue
      }
      gateway.failingUntil = -Infinity
      await store.put(cid, bytes)
      return bytes
    }
    throw reason ?? new IpfsError('not_found', `block was not found at any gateway: ipld: could not find ${cid}`)
  }

  /** Whether another gateway may do better. */
  const judge = (gateway: Gateway, { code }: IpfsError): boolean => {
    const now = options.clock.now()
    if (code === 'mismatch') gateway.bannedUntil = now + banMs
    // A block may really be too large: whoever asks for one must not take a gateway from all others.
    else if (code !== 'not_found') gateway.failingUntil = now + failingMs
    return ['mismatch', 'too_large', 'timeout', 'connect', 'http_status', 'not_found'].includes(code)
  }

  return {
    has: (cid) => store.has(cid),
    close(error) {
      for (const { controller } of flights.values()) controller.abort(error)
    },
    async get(cid, signal) {
      if (isIdentity(cid)) return cid.multihash.digest
      let broken: IpfsError | undefined
      try {
        return await store.get(cid, signal)
      } catch (thrown) {
        if (!(thrown instanceof IpfsError) || !['not_found', 'bad_content'].includes(thrown.code)) throw thrown
        if (thrown.code === 'bad_content') broken = thrown
      }
      if (broken !== undefined && gateways.length === 0) throw broken
      if (gateways.length === 0) {
        throw new IpfsError('not_found', `block was not found locally (offline): ipld: could not find ${cid}`)
      }
      throwIfAborted(signal)
      // Else a CID that no bytes can match would make liars of all gateways.
      await requireDigest(cid)
      try {
        return await waitFor(fly(cid), signal)
      } catch (thrown) {
        throw thrown instanceof IpfsError && thrown.code === 'not_found' ? (broken ?? thrown) : thrown
      }
    },
  }
}

/** The flight's bytes; rejects when `signal` aborts, and ends the flight where nobody else waits. */
async function waitFor(flight: Flight, signal: AbortSignal): Promise<Uint8Array> {
  let leave = (): void => {}
  const left = new Promise<void>((resolve) => (leave = resolve))
  signal.addEventListener('abort', leave)
  flight.waiting++
  try {
    const bytes = await Promise.race([flight.bytes, left])
    throwIfAborted(signal)
    return bytes as Uint8Array
  } finally {
    signal.removeEventListener('abort', leave)
    if (--flight.waiting === 0) flight.controller.abort()
  }
}
