import { type Clock, systemClock } from '@wayleave/jsonrpc-core'
import type { AdminApi } from './admin-api.ts'
import { systemFetch } from './defaults.ts'
import { AdminError, type AdminErrorCode, type AdminIssue } from './error.ts'
import { problems } from './problem.ts'

/** The API to ask: over HTTP, or in this process. */
export type AdminClientOptions = {
  readonly token: string
  /** Milliseconds after which a question is given up. Default 30,000. */
  readonly timeoutMs?: number
} & (
  | {
      /** The admin listener: `http://127.0.0.1:9090`. The token goes there, so use https beyond this machine. */
      readonly url: string
      readonly fetch?: typeof fetch
      readonly clock?: Pick<Clock, 'after'>
      readonly handle?: undefined
    }
  | { readonly handle: AdminApi['handle']; readonly url?: undefined }
)

/** An answer, over HTTP or not. */
interface Answer {
  readonly status: number
  readonly type: string
  readonly body: string
}

type Send = (method: string, path: string, query: string, body: string | undefined) => Promise<Answer>

/** Makes the function that sends a request, and resolves with the value of its answer. @throws AdminError `invalid_options` */
export function createSend(
  options: AdminClientOptions,
): (method: string, path: string, query: object, body: unknown) => Promise<unknown> {
  const send = options.handle === undefined ? overHttp(options) : inProcess(options)
  return async (method, path, query, body) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    return readAnswer(await send(method, path, printQuery(query), text))
  }
}

const defaultTimeoutMs = 30_000
/** Bytes; a thousand projects with all that they may have are fewer. */
const longestAnswer = 64 * 1_048_576

function overHttp(options: AdminClientOptions & { readonly url: string }): Send {
  const { url, token, fetch: send = systemFetch, timeoutMs = defaultTimeoutMs, clock = systemClock } = options
  const base = URL.canParse(url) ? new URL(url) : undefined
  if (base === undefined || !/^https?:$/.test(base.protocol) || base.username !== '' || base.password !== '') {
    throw new AdminError('invalid_options', 'url: expected an http or https URL without credentials')
  }
  return async (method, path, query, body) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const controller = new AbortController()
    const cancel = clock.after(timeoutMs, () => controller.abort())
    try {
      const response = await send(`${base.origin}${path}${query}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...type },
        // The token goes to nobody else.
        redirect: 'error',
        signal: controller.signal,
        ...(body !== undefined && { body }),
      })
      const text = await readText(response)
      return { status: response.status, type: response.headers.get('content-type') ?? '', body: text }
    } catch (cause) {
      if (cause instanceof AdminError) throw cause
      throw new AdminError('unreachable', `${base.origin} gave no answer: is the admin listener there?`, { cause })
    } finally {
      cancel()
    }
  }
}

/** @throws AdminError `unreadable` */
async function readText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let [text, size] = ['', 0]
  // Leaving the loop ends the exchange.
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > longestAnswer) throw unreadable(`one of more than ${longestAnswer} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function unreadable(got: string): AdminError {
  return new AdminError('unreadable', `expected an answer of the admin API, got ${got}: check the URL`)
}

function inProcess({ handle, token }: AdminClientOptions & { readonly handle: AdminApi['handle'] }): Send {
  return async (method, path, query, body) => {
    const {
      status,
      headers,
      body: text,
    } = await handle({
      method,
      path,
      query: query.slice(1),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : new TextEncoder().encode(body),
    })
    return { status, type: headers['content-type'] ?? '', body: text }
  }
}

/** @throws AdminError */
function readAnswer({ status, type, body }: Answer): unknown {
  if (status === 204) return undefined
  const value = /^application\/(?:problem\+)?json\b/.test(type) ? parse(body) : undefined
  if ((status === 200 || status === 201) && value !== undefined) return value
  const {
    code,
    detail,
    issues = [],
  } = (value ?? {}) as {
    readonly code?: unknown
    readonly detail?: unknown
    readonly issues?: readonly AdminIssue[]
  }
  if (typeof code !== 'string' || typeof detail !== 'string' || !Object.hasOwn(problems, code)) {
    throw unreadable(`HTTP status ${status}`)
  }
  throw new AdminError(code as AdminErrorCode, detail, { issues })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function printQuery(query: object): string {
  // An empty list is the default, and would read as a list with an empty entry.
  const values = Object.entries(query).filter(([, value]) => value !== undefined && !isEmpty(value))
  const text = new URLSearchParams(values.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}
