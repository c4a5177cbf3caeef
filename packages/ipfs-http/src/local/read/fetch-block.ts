import type { CID } from 'multiformats/cid'
import type { Clock } from '../../clock.ts'
import { IpfsError } from '../../error.ts'
import { gather } from '../../unixfs/gather.ts'
import { mostBlockBytes } from './import-car.ts'
import { verifyBlock } from '../../unixfs/multihash.ts'

/** A trustless gateway, and since when it should be left alone. */
export interface Gateway {
  /** For messages: without credentials. */
  readonly host: string
  readonly base: string
  readonly authorization: string | undefined
  /** Until then nothing is asked of it: it sent wrong bytes. Clock's `now`. */
  bannedUntil: number
  /** Until then it is asked last: it did not answer. */
  failingUntil: number
}

/** @throws IpfsError `bad_argument` */
export function parseGateway(text: string): Gateway {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new IpfsError('bad_argument', 'expected the http or https URL of a trustless gateway')
  }
  const { username, password, host } = url
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const authorization = username === '' ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`
  const base = `${url.origin}${url.pathname.replace(/\/+$/, '')}`
  return { host, base, authorization, bannedUntil: -Infinity, failingUntil: -Infinity }
}

/**
 * One block from one gateway, checked against its CID. Source: Trustless Gateway Specification, `application/vnd.ipld.raw`.
 *
 * @throws IpfsError `not_found` (it has none), `mismatch` (wrong bytes), `too_large`, `http_status`, `connect`, `timeout`,
 *   `unsupported` (an unknown hash), `aborted`
 */
export async function fetchBlock(
  gateway: Gateway,
  cid: CID,
  options: { readonly fetch: typeof fetch; readonly clock: Clock; readonly timeoutMs: number },
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { clock, timeoutMs } = options
  const deadline = new AbortController()
  const stop = clock.after(timeoutMs, () => deadline.abort())
  try {
    const bytes = await request(gateway, cid, options.fetch, AbortSignal.any([signal, deadline.signal]))
    return await checked(gateway, cid, bytes)
  } catch (cause) {
    if (cause instanceof IpfsError || signal.aborted) throw cause
    if (deadline.signal.aborted) {
      throw new IpfsError('timeout', `${gateway.host} did not send block ${cid} within ${timeoutMs} ms`, { cause })
    }
    throw new IpfsError('connect', `${gateway.host} could not be asked for block ${cid}`, { cause })
  } finally {
    stop()
  }
}

async function request(gateway: Gateway, cid: CID, send: typeof fetch, signal: AbortSignal): Promise<Uint8Array> {
  const { host, base, authorization } = gateway
  const response = await send(`${base}/ipfs/${cid}?format=raw`, {
    headers: { accept: 'application/vnd.ipld.raw', ...(authorization === undefined ? {} : { authorization }) },
    // A redirect would let a gateway point into the network of whoever runs this.
    redirect: 'manual',
    signal,
  })
  if (response.status === 200 && response.body !== null) {
    return await gather(response.body, mostBlockBytes, ` of block ${cid} from ${host}`)
  }
  await response.body?.cancel()
  const { status } = response
  if (status === 404 || status === 410) throw new IpfsError('not_found', `${host} has no block ${cid}`, { status })
  const advice = status >= 300 && status < 400 ? ': name a gateway that does not redirect' : ''
  throw new IpfsError('http_status', `${host} answered ${status} for block ${cid}${advice}`, { status })
}

async function checked({ host }: Gateway, cid: CID, bytes: Uint8Array): Promise<Uint8Array> {
  try {
    await verifyBlock(cid, bytes)
    return bytes
  } catch (cause) {
    if (cause instanceof IpfsError && cause.code !== 'bad_content') throw cause
    throw new IpfsError('mismatch', `${host} sent bytes that are not those of block ${cid}`, { cause })
  }
}
