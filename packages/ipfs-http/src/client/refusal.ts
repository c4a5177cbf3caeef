import { IpfsError, type IpfsErrorCode } from '../error.ts'

const advice: Readonly<Record<number, string>> = {
  401: 'check apiKey and apiKeySecret',
  403: 'not allowed, or beyond a quota',
  404: 'check url',
  405: 'check url',
  413: 'send less',
  429: 'wait and retry',
}

/** Errors of Kubo that a program can act upon. Kubo sends all of them with HTTP 500. */
const known: readonly (readonly [RegExp, IpfsErrorCode])[] = [
  [/is a directory/, 'is_directory'],
  [/not pinned/, 'not_pinned'],
  [/no link named|not found/, 'not_found'],
  [/deadline exceeded/, 'timeout'],
]

type Redact = (text: string) => string

/** Makes the error of a refusal. `text` is the body of the answer. */
export function refusal(status: number, text: string, redact: Redact): IpfsError {
  const said = saidIn(text, redact)
  const isRedirect = status === 0 || (status >= 300 && status < 400)
  const hint = isRedirect ? 'redirects are not followed: check url' : advice[status]
  const code = (status === 500 && known.find(([words]) => words.test(said))?.[1]) || 'http_status'
  return new IpfsError(code, `HTTP ${status || '3xx'}${said && `: ${said}`}${hint ? ` (${hint})` : ''}`, {
    status: status || undefined,
  })
}

/** Makes the error of a line in the middle of an answer. `text` is that line. */
export function brokenOff(text: string, redact: Redact): IpfsError {
  return new IpfsError('stream_error', `the host broke off: ${saidIn(text, redact)}`)
}

/** Reads the message of a host without secrets. They are removed after JSON is decoded, whose escapes could hide them. */
function saidIn(text: string, redact: Redact): string {
  return redact(messageOf(text)).trim().slice(0, 500)
}

/** Reads the message of a JSON error, as Kubo and similar hosts spell it, or returns the text itself. */
function messageOf(text: string): string {
  try {
    const { Message, message } = JSON.parse(text) as { readonly Message?: unknown; readonly message?: unknown }
    return String(Message ?? message ?? text)
  } catch {
    return text
  }
}
