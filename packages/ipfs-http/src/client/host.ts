import { countBytes } from '#count-bytes'
import type { Clock } from '../clock.ts'
import { basicToken, createRedactor } from '../credentials.ts'
import { IpfsError } from '../error.ts'
import type { IpfsCallOptions } from './client.ts'
import { beginExchange, type Exchange } from './exchange.ts'

export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

/** A body to send: bytes as they come, or a whole Blob. */
export interface HostBody {
  readonly type: string
  readonly content: AsyncIterable<Uint8Array> | Blob
}

/** Options of one request. */
export interface HostCallOptions extends IpfsCallOptions {
  /** When the call that it belongs to must be over, by the clock. */
  readonly until?: number | undefined
}

interface HostAnswer {
  /** Whether the host told the length of its answer when it began: nothing can have failed after that. */
  readonly isWhole: boolean
  /** The body, which must be read or closed. @throws IpfsError `truncated`, `timeout`, `aborted` */
  readonly chunks: AsyncIterableIterator<Uint8Array>
  /** Waits for work that goes on only while the host takes the rest of the upload. */
  waitFor<T>(work: Promise<T>): Promise<T>
}

/** Makes the calls of one host. */
export interface Host {
  /** Sends a request, and returns an answer with status 200. @throws IpfsError */
  call(path: string, query: Query, options?: HostCallOptions, body?: HostBody): Promise<HostAnswer>
  /** Reads a whole answer as JSON, at most 4 MiB. */
  json<T>(path: string, query: Query, options?: HostCallOptions, body?: HostBody): Promise<T>
  /** Begins a call of several requests: adds the time when all must be over. */
  begin<T extends IpfsCallOptions>(options: T): T & HostCallOptions
  /** Removes the secrets of the client from a text of the host. */
  redact(text: string): string
}

export interface HostOptions {
  readonly url: string
  readonly apiKey: string | undefined
  readonly apiKeySecret: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: typeof globalThis.fetch
  readonly timeoutMs: number
  readonly deadlineMs: number | undefined
  readonly clock: Clock
}

const mostText = 1 << 22

/** Makes the calls of one host. @throws IpfsError `bad_argument` if the URL is none */
export function createHost(options: HostOptions): Host {
  const { fetch, clock } = options
  const { base, origin, user, password } = placeOf(options)
  const token = user + password === '' ? undefined : basicToken(user, password)
  const headers = { ...(token === undefined ? {} : { authorization: `Basic ${token}` }), ...options.headers }
  const secrets = [password, user, ...Object.values(options.headers)]
  const redact = createRedactor([token, ...secrets, ...secrets.map(inQuery)], 4)

  async function call(
    path: string,
    query: Query,
    callOptions: HostCallOptions = {},
    body?: HostBody,
  ): Promise<HostAnswer> {
    const { signal, timeoutMs = options.timeoutMs, until } = begin(callOptions)
    const exchange = beginExchange(clock, timeoutMs, signal, origin)
    exchange.endWithin(until - clock.now())
    let response: Response
    try {
      const init = { method: 'POST', headers, signal: exchange.signal, redirect: 'manual' } as const
      response = await fetch(
        `${base}/api/v0/${path}${print(query)}`,
        body === undefined ? init : withBody(init, body, exchange),
      )
    } catch (thrown) {
      exchange.end()
      const { unreachable } = await import('./refusal.ts')
      throw exchange.failure(() => unreachable(origin, reasonOf(thrown), body !== undefined))
    }
    exchange.callerActs('download')
    const chunks = chunksOf(response, exchange)
    async function waitFor<T>(work: Promise<T>): Promise<T> {
      exchange.hostActs('download')
      try {
        return await work
      } catch (thrown) {
        throw exchange.failure(() => thrown)
      } finally {
        exchange.callerActs('download')
      }
    }
    const isWhole = ['content-length', 'x-content-length'].some((name) => response.headers.has(name))
    if (response.status === 200) return { chunks, waitFor, isWhole }
    exchange.endWithin(timeoutMs)
    // If the text of a refusal does not come, it is still a refusal.
    const text = await textOf(chunks, 1 << 16).catch(() => '')
    throw (await import('./refusal.ts')).refusal(response.status, text, redact, origin)
  }

  /** `short`: longest time without `deadlineMs`. */
  function begin<T extends HostCallOptions>(given: T, short = Infinity): T & { readonly until: number } {
    const { until = clock.now() + (given.deadlineMs ?? options.deadlineMs ?? short) } = given
    // The signal may be a getter of a class, such as AbortController.
    return { ...given, signal: given.signal, until }
  }

  return {
    call,
    redact,
    begin,
    async json<T>(path: string, query: Query, callOptions: HostCallOptions = {}, body?: HostBody) {
      const short = 10 * (callOptions.timeoutMs ?? options.timeoutMs)
      const { chunks } = await call(path, query, begin(callOptions, short), body)
      const answer = await textOf(chunks, mostText)
      try {
        return JSON.parse(answer) as T
      } catch {
        throw new IpfsError('invalid_response', `expected JSON from ${path}: is ${origin} an IPFS API?`)
      }
    },
  }
}

function placeOf({ url, apiKey, apiKeySecret }: HostOptions): {
  base: string
  origin: string
  user: string
  password: string
} {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new IpfsError('bad_argument', 'expected an http or https URL')
  }
  return {
    origin: parsed.origin,
    base: `${parsed.origin}${parsed.pathname.replace(/\/+$/, '').replace(/\/api\/v0$/, '')}`,
    user: apiKey ?? decode(parsed.username),
    password: apiKeySecret ?? decode(parsed.password),
  }
}

/** Encodes a text as in the query of a URL, where a host may repeat it. */
function inQuery(text: string): string {
  return `${new URLSearchParams({ '': text })}`.slice(1)
}

/** Decodes a part of a URL. A percent sign that encodes nothing stands for itself. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Encodes a query. Writes `ipfs://` as `/ipfs/`, because no host reads the former in all of its calls. */
function print(query: Query): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat())
      if (each !== undefined) search.append(name, String(each).replace(/^ipfs:\/\//, '/ipfs/'))
  }
  return `${search}` && `?${search}`
}

function withBody(
  init: RequestInit & { headers: Record<string, string> },
  body: HostBody,
  exchange: Exchange,
): RequestInit {
  const headers = { ...init.headers, 'content-type': body.type }
  if (body.content instanceof Blob) return { ...init, headers, body: body.content }
  const source = body.content[Symbol.asyncIterator]()
  const leave = (): void => void source.return?.().catch(() => {})
  exchange.signal.addEventListener('abort', leave)
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        exchange.callerActs('upload')
        try {
          const { done, value } = await source.next()
          if (done) controller.close()
          else {
            countBytes(value.byteLength)
            controller.enqueue(value)
          }
        } catch (thrown) {
          exchange.fail(thrown)
          controller.error(thrown)
        } finally {
          exchange.hostActs('upload')
        }
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  )
  // Without these, undici keeps a copy of all that was sent, for a redirect (Fetch §4.5, HTTP-network-or-cache fetch, clone).
  return { ...init, headers, body: stream, duplex: 'half', redirect: 'error', window: null } as RequestInit
}

/** Reads the body of an answer. Not a generator, whose `return` would wait for a read that may never end. */
function chunksOf(response: Response, exchange: Exchange): AsyncIterableIterator<Uint8Array> {
  const reader = response.body?.getReader()
  // `fetch` itself checks Content-Length. A page of another origin cannot see whether that counts bytes of gzip.
  const expected = response.headers.get('x-content-length')
  let received = 0
  let ended = false
  // A reader that waits must be told of the end, whatever `fetch` does about it.
  exchange.signal.addEventListener('abort', () => void reader?.cancel().catch(() => {}), { once: true })

  const end = (): { done: true; value: undefined } => {
    ended = true
    exchange.end()
    return { done: true, value: undefined }
  }
  const truncated = (reason: string): IpfsError =>
    new IpfsError(
      'truncated',
      `the body ended after ${received}${expected ? ` of ${expected}` : ''} bytes${reason}: retry`,
    )

  const iterator: AsyncIterableIterator<Uint8Array> = {
    async next() {
      if (ended) return { done: true, value: undefined }
      exchange.hostActs('download')
      try {
        const { done, value } = (await reader?.read()) ?? { done: true }
        if (exchange.signal.aborted) throw exchange.signal.reason
        exchange.callerActs('download')
        if (!done) {
          const bytes = value!.byteLength
          received += bytes
          countBytes(bytes)
          if (expected !== null && received > Number(expected)) exchange.fail(excess(expected))
          if (exchange.signal.aborted) throw exchange.signal.reason
          return { done, value: value! }
        }
      } catch (thrown) {
        end()
        throw exchange.failure(() => truncated(reasonOf(thrown)))
      }
      if (response.status === 200 && expected !== null && Number(expected) !== received) {
        end()
        throw truncated('')
      }
      return end()
    },
    async return() {
      return end()
    },
    [Symbol.asyncIterator]: () => iterator,
  }
  return iterator
}

function excess(expected: string): IpfsError {
  return new IpfsError('invalid_response', `more than the announced ${expected} bytes came`)
}

async function textOf(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw new IpfsError('too_large', `expected at most ${maxBytes} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** Reads the system's code or the name of a platform's error, in brackets. Its message may hold secrets. */
function reasonOf(thrown: unknown): string {
  const { code, name, cause } = (thrown ?? {}) as { code?: unknown; name?: unknown; cause?: { code?: unknown } | null }
  const word = String(cause?.code ?? code ?? name)
  return /^\w{1,64}$/.test(word) ? ` (${word})` : ''
}
