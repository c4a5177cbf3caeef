import { basicToken } from '../../credentials.ts'
import { IpfsError } from '../../error.ts'

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
  /** Until then it is asked for single blocks alone: it has no archives, or none that can be used. */
  noArchivesUntil: number
}

/** What gateways are asked with. */
export interface AskOptions {
  readonly fetch: typeof fetch
  readonly signal: AbortSignal
}

const banMs = 600_000
const failingMs = 30_000
/** Statuses by which a gateway says that it has no archives. */
const noArchive: ReadonlySet<number | undefined> = new Set([400, 405, 406, 415, 501])

/** Counts what came of a request against a gateway, so far as it is its fault. `now`: the clock's. */
export function blame(gateway: Gateway, { code, status }: IpfsError, now: number, isBlock = false): void {
  if (code === 'mismatch') gateway.bannedUntil = now + banMs
  else if (code === 'invalid_response' || (!isBlock && noArchive.has(status))) gateway.noArchivesUntil = now + banMs
  // A block may really be too large: whoever asks for one must not take a gateway from all others.
  else if (['timeout', 'connect', 'http_status', 'too_large'].includes(code)) gateway.failingUntil = now + failingMs
}

/** @throws IpfsError `bad_argument` */
export function parseGateway(text: string): Gateway {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new IpfsError('bad_argument', 'expected the http or https URL of a trustless gateway')
  }
  const { username, password, host } = url
  const token = basicToken(decodeURIComponent(username), decodeURIComponent(password))
  const authorization = username === '' ? undefined : `Basic ${token}`
  const base = `${url.origin}${url.pathname.replace(/\/+$/, '')}`
  const never = -Infinity
  return { host, base, authorization, bannedUntil: never, failingUntil: never, noArchivesUntil: never }
}

/**
 * The answer to a GET, where that has content.
 * @throws IpfsError `not_found` (it has none of `what`), `http_status`; and what `fetch` throws
 */
export async function askGateway(
  { host, base, authorization }: Gateway,
  { path, accept, what }: { readonly path: string; readonly accept: string; readonly what: string },
  { fetch: send, signal }: AskOptions,
): Promise<Response & { readonly body: NonNullable<Response['body']> }> {
  const response = await send(`${base}${path}`, {
    headers: { accept, ...(authorization === undefined ? {} : { authorization }) },
    // A redirect would let a gateway point into the network of whoever runs this.
    redirect: 'manual',
    signal,
  })
  const { status, body } = response
  if (status === 200 && body !== null) return response as Response & { readonly body: typeof body }
  await body?.cancel()
  if (status === 404 || status === 410) throw new IpfsError('not_found', `${host} has no ${what}`, { status })
  const advice = status >= 300 && status < 400 ? ': name a gateway that does not redirect' : ''
  throw new IpfsError('http_status', `${host} answered ${status} for ${what}${advice}`, { status })
}
