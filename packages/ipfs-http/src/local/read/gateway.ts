import { basicToken } from '../../credentials.ts'
import { IpfsError } from '../../error.ts'

/** A trustless gateway, and the times until which it is left alone. They are those of the clock's `now`. */
export interface Gateway {
  /** The host for messages, without credentials. */
  readonly host: string
  readonly base: string
  readonly authorization: string | undefined
  /** Until then it is not asked for anything, because it sent wrong bytes. */
  bannedUntil: number
  /** Until then it is asked last, because it did not answer. */
  failingUntil: number
  /** Until then it is only asked for single blocks, because it has no archives that can be used. */
  noArchivesUntil: number
}

/** Options of a request to a gateway. */
export interface AskOptions {
  readonly fetch: typeof fetch
  readonly signal: AbortSignal
}

const banMs = 600_000
const failingMs = 30_000
/** Statuses by which a gateway says that it has no archives. */
const noArchive: ReadonlySet<number | undefined> = new Set([400, 405, 406, 415, 501])

/** Counts the error of a request against a gateway, if it is to blame. `now` is that of the clock. */
export function blame(gateway: Gateway, { code, status }: IpfsError, now: number, isBlock = false): void {
  if (code === 'mismatch') gateway.bannedUntil = now + banMs
  else if (code === 'invalid_response' || (!isBlock && noArchive.has(status))) gateway.noArchivesUntil = now + banMs
  // A block may really be too large: a caller that asks for one must not take the gateway from all others.
  else if (['timeout', 'connect', 'http_status', 'too_large'].includes(code)) gateway.failingUntil = now + failingMs
}

/** Reads the URL of a gateway. @throws IpfsError `bad_argument` */
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
 * Sends a GET, and returns an answer that has content.
 * @throws IpfsError `not_found` (the gateway does not have `what`), `http_status`; and the errors of `fetch`
 */
export async function askGateway(
  { host, base, authorization }: Gateway,
  { path, accept, what }: { readonly path: string; readonly accept: string; readonly what: string },
  { fetch: send, signal }: AskOptions,
): Promise<Response & { readonly body: NonNullable<Response['body']> }> {
  const response = await send(`${base}${path}`, {
    headers: { accept, ...(authorization === undefined ? {} : { authorization }) },
    // A redirect could point into the network of this machine.
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
