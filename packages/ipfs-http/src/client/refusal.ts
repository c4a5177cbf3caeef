import { IpfsError, type IpfsErrorCode } from '../error.ts'

const advice: Readonly<Record<number, string>> = {
  401: 'check apiKey and apiKeySecret',
  403: 'not allowed, or beyond a quota',
  404: 'check url',
  405: 'check url',
  413: 'send less',
  429: 'wait and retry',
}

/** The errors of Kubo that a program acts upon; it sends all of them with HTTP 500. */
const known: readonly (readonly [RegExp, IpfsErrorCode])[] = [
  [/is a directory/, 'is_directory'],
  [/not pinned/, 'not_pinned'],
  [/no link named|not found/, 'not_found'],
  [/deadline exceeded/, 'timeout'],
]

/** What a host said when it refused. `text`: its body, without secrets. */
export function refusal(status: number, text: string): IpfsError {
  const said = messageOf(text).trim().slice(0, 500)
  const hint = status < 400 ? 'redirects are not followed: check url' : advice[status]
  const code = (status === 500 && known.find(([words]) => words.test(said))?.[1]) || 'http_status'
  return new IpfsError(code, `HTTP ${status || '3xx'}${said && `: ${said}`}${hint ? ` (${hint})` : ''}`, {
    status: status || undefined,
  })
}

/** The message of a JSON error, as Kubo and hosts like it spell it, or the text itself. */
export function messageOf(text: string): string {
  try {
    const { Message, message } = JSON.parse(text) as { readonly Message?: unknown; readonly message?: unknown }
    return String(Message ?? message ?? text)
  } catch {
    return text
  }
}
