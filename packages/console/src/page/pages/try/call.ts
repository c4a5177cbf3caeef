import { browser } from '../../defaults.ts'

/** The answer to a call, as it came. */
export interface CallAnswer {
  readonly status: number
  readonly text: string
  readonly ms: number
  /** Undefined where the browser does not show it to pages of another origin. */
  readonly traceId: string | undefined
}

export interface CallTarget {
  readonly url: string
  readonly secret: string
  readonly body: string
}

/** Calls the gateway itself, as an application would. @throws TypeError where it gives no answer, or refuses this page's origin */
export async function callGateway({ url, secret, body }: CallTarget, signal: AbortSignal): Promise<CallAnswer> {
  const started = browser.sinceOpened()
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(secret !== '' && { authorization: `Basic ${base64(`:${secret}`)}` }),
    },
    body,
    credentials: 'omit',
    signal,
  })
  const text = await response.text()
  return {
    status: response.status,
    text,
    ms: browser.sinceOpened() - started,
    traceId: response.headers.get('x-trace-id') ?? undefined,
  }
}

/** Encodes the bytes of a text in UTF-8. */
function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}
