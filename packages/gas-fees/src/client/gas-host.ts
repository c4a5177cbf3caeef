import { type Clock, createContext, type RpcError } from '@wayleave/jsonrpc-core'
import { GasFeesError, type GasFeesErrorCode } from '../error.ts'
import { parseJson } from './answer-schemas.ts'

export interface GasHostOptions {
  readonly url: string
  readonly apiKey: string | undefined
  readonly apiKeySecret: string | undefined
  readonly fetch: typeof globalThis.fetch
  readonly timeoutMs: number
  readonly clock: Clock
}

/** Asks a host of the gas API over HTTP. */
export interface GasHost {
  /** Gets the JSON at a path, and how long it holds. @throws GasFeesError */
  get(path: string, signal: AbortSignal | undefined): Promise<HostAnswer>
  /** Opens a body of server-sent events, which its reader cancels; undefined if the host has none. @throws GasFeesError */
  stream(path: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array> | undefined>
}

interface HostAnswer {
  readonly value: unknown
  /** How long the answer holds, in ms; undefined if the host did not say. */
  readonly maxAgeMs: number | undefined
}

/** Far more than 500 base fees take. */
const mostBytes = 1_000_000

const codes: Readonly<Record<number, GasFeesErrorCode>> = {
  400: 'unsupported',
  401: 'unauthorized',
  403: 'unauthorized',
  429: 'unavailable',
  500: 'unavailable',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
}

/** @throws GasFeesError `malformed` for a wrong URL, or one with credentials. */
export function createGasHost(options: GasHostOptions): GasHost {
  const { apiKey, apiKeySecret, fetch, timeoutMs, clock } = options
  const base = baseOf(options.url)
  const prefix = apiKey === undefined || apiKeySecret !== undefined ? base : `${base}/v3/${encodeURIComponent(apiKey)}`
  const credentials = apiKeySecret === undefined ? undefined : basic(apiKey ?? '', apiKeySecret)
  const secrets = [apiKey, apiKeySecret, apiKey && encodeURIComponent(apiKey), credentials?.slice('Basic '.length)]

  /** Removes the client's secrets from a host's text, which may repeat the path or the headers of the request. */
  const redact = (text: string): string =>
    secrets.reduce<string>((rest, secret) => (secret ? rest.replaceAll(secret, '…') : rest), text)

  /** Sends one request. The deadline covers `work`, and so the body if `work` reads it. */
  async function exchange<T>(
    path: string,
    accept: string,
    signal: AbortSignal | undefined,
    work: (response: Response) => Promise<T>,
  ): Promise<T> {
    const context = createContext({ clock, timeoutMs, signal })
    try {
      if (context.cancelled !== undefined) throw context.cancelled
      const headers = { accept, ...(credentials === undefined ? {} : { authorization: credentials }) }
      // Credentials must not follow a redirect.
      const response = await fetch(`${prefix}${path}`, { headers, signal: context.signal, redirect: 'error' })
      return await work(response)
    } catch (thrown) {
      if (thrown instanceof GasFeesError) throw thrown
      throw context.cancelled === undefined
        ? new GasFeesError('connect', `the gas API could not be reached, or the connection broke${reasonOf(thrown)}`)
        : cancelled(context.cancelled, timeoutMs)
    } finally {
      context.release()
    }
  }

  return {
    get: (path, signal) =>
      exchange(path, 'application/json', signal, async (response) => {
        const text = await readText(response)
        if (response.status !== 200) throw refusal(response, text, redact)
        return { value: parseJson(text, 'JSON'), maxAgeMs: maxAge(response) }
      }),
    stream: (path, signal) =>
      exchange(path, 'text/event-stream', signal, async (response) => {
        const type = response.headers.get('content-type') ?? ''
        if (response.status === 200 && type.startsWith('text/event-stream')) return response.body ?? undefined
        const text = await readText(response)
        const failure = refusal(response, text, redact)
        // Hosts without the path answer like this; an unknown chain shows when it is polled.
        if (response.status === 200 || failure.code === 'http_status' || failure.code === 'unsupported')
          return undefined
        throw failure
      }),
  }
}

/** The system's code or the name of a platform's error; its message may hold the URL, and with it the key. */
function reasonOf(thrown: unknown): string {
  const { code, name, cause } = (thrown ?? {}) as { code?: unknown; name?: unknown; cause?: { code?: unknown } | null }
  const word = [cause?.code, code, name].find((each) => typeof each === 'string' && /^\w{1,64}$/.test(each))
  return word === undefined ? '' : ` (${word as string})`
}

function baseOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol) || parsed.username + parsed.password !== '') {
    throw new GasFeesError(
      'malformed',
      'expected an http or https URL without user and password: pass apiKey and apiKeySecret',
    )
  }
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`
}

/** Prints HTTP Basic (RFC 7617, UTF-8). Unlike `printBasic` of `auth` it takes any key: the host decides what one is. */
function basic(user: string, password: string): string {
  const bytes = new TextEncoder().encode(`${user}:${password}`)
  return `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}`
}

async function readText(response: Response): Promise<string> {
  if (response.body === null) return ''
  const decoder = new TextDecoder()
  const reader = response.body.getReader()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > mostBytes) {
      reader.cancel().catch(() => {})
      throw new GasFeesError('invalid_response', `expected at most ${mostBytes} bytes`)
    }
    text += decoder.decode(value, { stream: true })
  }
}

function refusal(response: Response, text: string, redact: (text: string) => string): GasFeesError {
  const { status } = response
  const said = messageOf(text)
  const message = said && redact(said).slice(0, 500)
  return new GasFeesError(codes[status] ?? 'http_status', message ?? `the gas API answered with HTTP ${status}`, {
    httpStatus: status,
    retryAfterMs: secondsOf(/^\d{1,6}$/.exec(response.headers.get('retry-after') ?? '')?.[0]),
  })
}

/** Reads the message of an error of the gas API. */
function messageOf(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown }
    return typeof message === 'string' && message !== '' ? message : undefined
  } catch {
    return undefined
  }
}

function maxAge(response: Response): number | undefined {
  return secondsOf(/\bmax-age=(\d{1,6})\b/.exec(response.headers.get('cache-control') ?? '')?.[1])
}

function secondsOf(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits) * 1_000
}

function cancelled(why: RpcError, timeoutMs: number): GasFeesError {
  if (why.code === 'timeout') return new GasFeesError('timeout', `the gas API has not answered within ${timeoutMs} ms`)
  return new GasFeesError('aborted', 'the caller aborted the call', { cause: why.cause })
}
