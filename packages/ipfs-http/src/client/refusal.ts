import { IpfsError, type IpfsErrorCode } from '../error.ts'

const advice: Readonly<Record<number, (origin: string) => string>> = {
  401: () => 'check apiKey and apiKeySecret',
  403: () => 'not allowed, or beyond a quota',
  404: isApi,
  405: isApi,
  413: () => 'the host takes less in one request: lower maxRequestBytes or maxParts to send it in several',
  429: () => 'wait and retry',
}

function isApi(origin: string): string {
  return `is ${origin} an IPFS API?`
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
export function refusal(status: number, text: string, redact: Redact, origin: string): IpfsError {
  const said = saidIn(text, redact)
  const isRedirect = status === 0 || (status >= 300 && status < 400)
  const hint = isRedirect ? `redirects are not followed: is ${origin} right?` : advice[status]?.(origin)
  const code = (status === 500 && known.find(([words]) => words.test(said))?.[1]) || 'http_status'
  return new IpfsError(code, `HTTP ${status || '3xx'}${said && `: ${said}`}${hint ? ` (${hint})` : ''}`, {
    status: status || undefined,
  })
}

/** Makes the error of a line in the middle of an answer. `text` is that line. */
export function brokenOff(text: string, redact: Redact): IpfsError {
  return new IpfsError('stream_error', `the host broke off: ${saidIn(text, redact)}`)
}

/** Makes the error of a request without an answer. `reason`: the system's code, in brackets. */
export function unreachable(origin: string, reason: string, isUpload: boolean): IpfsError {
  if (reason.includes('ECONNREFUSED')) return new IpfsError('connect', `nothing listens at ${origin}${reason}`)
  const other = isUpload ? ', or the upload is refused or redirected' : ''
  return new IpfsError('connect', `no connection to ${origin}${other}${reason}`)
}

/** Characters that steer a terminal, or make text read otherwise than it is. */
const steering = /[\p{Cc}\p{Bidi_Control}]/gu

/**
 * Reads the message of a host in one line, without secrets. They are removed after JSON is decoded, whose escapes could hide
 * them.
 */
function saidIn(text: string, redact: Redact): string {
  const said = redact(messageOf(text)).replace(/\s+/g, ' ').trim().slice(0, 500)
  return said.replace(steering, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
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
