import type { CID } from 'multiformats/cid'
import type { Clock } from '../../clock.ts'
import { IpfsError } from '../../error.ts'
import type { BlockSink, BlockSource } from '../block-source.ts'
import { fetchBlock, type Gateway, parseGateway } from './fetch-block.ts'
import { throwIfAborted } from './load-block.ts'
import { isIdentity } from './multihash.ts'

/** Where blocks come from that the store lacks. */
export interface FetchingOptions {
  /** URLs of trustless gateways, in the order in which they are asked; none: nothing is fetched. */
  readonly gateways: readonly string[]
  readonly fetch?: typeof fetch
  readonly clock: Clock
  /** Longest time that one gateway may take for one block, in ms. */
  readonly timeoutMs: number
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
 * reason, where not all lack the block), `unsupported`, `aborted`, and what the store throws.
 *
 * @throws IpfsError `bad_argument` for a gateway that is no URL
 */
export function fetchingSource(store: BlockSource & BlockSink, options: FetchingOptions): BlockSource {
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
        if (signal.aborted || !(thrown instanceof IpfsError) || !judge(gateway, thrown)) throw thrown
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
    if (code === 'mismatch' || code === 'too_large') gateway.bannedUntil = now + banMs
    else if (code === 'timeout' || code === 'connect' || code === 'http_status') gateway.failingUntil = now + failingMs
    else return code === 'not_found'
    return true
  }

  return {
    has: (cid) => store.has(cid),
    async get(cid, signal) {
      if (isIdentity(cid)) return cid.multihash.digest
      try {
        return await store.get(cid, signal)
      } catch (thrown) {
        if (!(thrown instanceof IpfsError) || thrown.code !== 'not_found') throw thrown
      }
      if (gateways.length === 0) {
        throw new IpfsError('not_found', `block was not found locally (offline): ipld: could not find ${cid}`)
      }
      throwIfAborted(signal)
      return await waitFor(fly(cid), signal)
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
