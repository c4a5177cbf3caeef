import { signal as createSignal, type Signal } from '@preact/signals'
import { browser } from '../defaults.ts'
import { ConsoleError, type Issue } from './console-error.ts'

/** The header that each request carries; with the cookie alone nothing is opened. */
const sessionHeader = 'X-Wayleave-Console'

const timeoutMs = 30_000

/** The token against forged requests, kept for all tabs of this origin; empty once somebody has signed out. */
let csrf: string | undefined = browser.read('csrf')

/** Whether the session has ended while its page waits, with all that was typed, for the same operator. Nothing is asked meanwhile. */
export const hasEnded: Signal<boolean> = createSignal(false)

/** Called when the session has ended, or with the token that another tab has kept. */
let onSession = (_kept?: string): void => {}

export function setCsrf(value: string | undefined): void {
  csrf = value
  // The token of an open gateway is no secret, and belongs to no session.
  browser.keep('csrf', value === 'open' ? undefined : value)
}

export function setOnSession(run: (kept?: string) => void): void {
  onSession = run
}

/** Takes over what another tab has kept: the token of its session, or that somebody has signed out. */
export function follow(): void {
  const kept = browser.read('csrf')
  if (kept === undefined || kept === csrf) return
  csrf = kept
  onSession(kept)
}

export interface Question {
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
  readonly accept?: string
}

/** Asks the admin listener and reads JSON, within 30 s; undefined for 204. @throws ConsoleError */
export async function ask<T>(method: string, path: string, question: Question = {}): Promise<T> {
  const controller = new AbortController()
  const stop = (): void => controller.abort()
  question.signal?.addEventListener('abort', stop)
  const cancel = browser.after(timeoutMs, stop)
  try {
    const response = await send(method, path, { ...question, signal: controller.signal })
    if (response.status === 204) return undefined as T
    const text = await response.text().catch((cause) => {
      throw unreachable(cause)
    })
    const value = parse(text)
    if (response.ok && value !== undefined) return value as T
    throw errorOf(response, value, text)
  } finally {
    cancel()
    question.signal?.removeEventListener('abort', stop)
  }
}

/** Sends a request, with the session's header. @throws ConsoleError where there is no answer. */
export async function send(method: string, path: string, question: Question = {}): Promise<Response> {
  const { query = {}, body, signal, accept = 'application/json' } = question
  const isOfSession = path === '/console/session'
  const headers = sessionHeaders(isOfSession)
  const own = csrf
  let response
  try {
    response = await fetch(path + printQuery(query), {
      method,
      headers: {
        accept,
        ...headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(signal && { signal }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  } catch (cause) {
    throw unreachable(cause)
  }
  // Under another session, which may be another operator's, only questions are repeated.
  if (own !== csrf && method === 'GET') return send(method, path, question)
  if (response.status !== 401 || isOfSession) return response
  if (own === csrf) {
    if (browser.read('csrf') === own) browser.keep('csrf', undefined)
    onSession()
  }
  if (own !== csrf || hasEnded.value) throw ended()
  return response
}

function ended(): ConsoleError {
  return new ConsoleError('The session had ended: this was not done. Do it again.', {
    status: 401,
    code: 'unauthorized',
  })
}

/** Makes the error of an answer. */
export function errorOf(response: Response, value: unknown, text: string): ConsoleError {
  const { code, detail, issues } = (typeof value === 'object' && value !== null ? value : {}) as {
    readonly code?: unknown
    readonly detail?: unknown
    readonly issues?: readonly Issue[]
  }
  const retryAfter = Number(response.headers.get('retry-after') ?? NaN)
  const isPlain = /^text\/plain\b/.test(response.headers.get('content-type') ?? '') && text.length < 500
  return new ConsoleError(
    typeof detail === 'string'
      ? detail
      : isPlain && text.trim() !== ''
        ? text.trim()
        : response.ok
          ? 'The answer is no JSON. Is a proxy between?'
          : `HTTP status ${response.status}`,
    {
      status: response.status,
      code: typeof code === 'string' ? code : 'unreadable',
      issues: Array.isArray(issues) ? issues : [],
      retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
    },
  )
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The headers of a request under the session. @throws ConsoleError where that has ended, unless the request is about the session itself. */
export function sessionHeaders(isOfSession = false): Readonly<Record<string, string>> {
  if (!isOfSession) {
    follow()
    if (hasEnded.value) throw ended()
  }
  return csrf ? { [sessionHeader]: csrf } : {}
}

/** Makes the error of a connection that broke. */
export function unreachable(cause: unknown): ConsoleError {
  return new ConsoleError('The gateway gives no answer. Is it still running?', {
    status: 0,
    code: 'unreachable',
    cause,
  })
}

function printQuery(query: Readonly<Record<string, string | number | undefined>>): string {
  const set = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  return set.length === 0 ? '' : `?${new URLSearchParams(set).toString()}`
}

/** Prints a path with ids in it. */
export function at(parts: TemplateStringsArray, ...ids: readonly string[]): string {
  return String.raw(parts, ...ids.map((id) => encodeURIComponent(id)))
}
