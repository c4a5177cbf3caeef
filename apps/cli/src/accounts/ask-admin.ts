import { systemClock } from '@wayleave/jsonrpc-core'
import { boundedText } from '../bounded-text.ts'
import type { CommandIo } from '../command.ts'
import { cutLine, visible } from '../output/visible.ts'
import type { GatewayPlace } from './gateway-place.ts'

/** An answer of an admin listener. */
export interface AdminAnswer {
  /** 0: there was none, and the body tells why. */
  readonly status: number
  readonly body: string
}

/** Longest answer that is read, in bytes. */
const longestAnswer = 32 * 1_048_576

/** Asks the admin listener of a running gateway, outside of its API for accounts. Never follows a redirect, nor rejects; `signal` gives up. */
export async function askAdmin(
  { url, token, timeoutMs }: GatewayPlace,
  method: 'GET' | 'POST',
  path: string,
  signal?: AbortSignal,
): Promise<AdminAnswer> {
  const controller = new AbortController()
  const stop = systemClock.after(timeoutMs, () => controller.abort())
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      // The token goes to nobody else.
      redirect: 'error',
      signal: signal === undefined ? controller.signal : AbortSignal.any([controller.signal, signal]),
    })
    return { status: response.status, body: await boundedText(response.body ?? [], longestAnswer) }
  } catch {
    const silence = controller.signal.aborted
      ? `${url} gave no answer within ${timeoutMs / 1_000} s`
      : `nothing answers at ${url}`
    return { status: 0, body: `${silence}: --admin URL names the admin listener of a gateway` }
  } finally {
    stop()
  }
}

/** Cuts a text of the gateway, for one line. */
export const cut = (text: string): string => cutLine(text, 300)

/** Says why an answer is not what was asked for, in the words of the gateway where it has some for such a status. */
export function whyNot(
  { status, body }: AdminAnswer,
  expected: string,
  scope: string,
  worded: readonly number[],
): string {
  const line = body.trim()
  const words = line === '' || line.startsWith('<') || line.startsWith('{') ? undefined : cut(line)
  if (status === 401)
    return `${words ?? 'it was refused'}; the token is that of $WAYLEAVE_ADMIN_TOKEN, --token-file or --token, and needs the scope ${scope}`
  if (worded.includes(status) && words !== undefined) return words
  return `expected ${expected}, got HTTP status ${status}: --admin URL names the admin listener of a gateway`
}

/** Tells whether members of an answer are texts. */
export function areTexts(...values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === 'string')
}

/** Reports why a command got no answer. Returns the exit code. */
export function fail(command: string, message: string, isJson: boolean, io: CommandIo): number {
  if (isJson) io.stdout(`${JSON.stringify({ error: { message } })}\n`)
  else io.stderr(visible(`wayleave ${command}: ${message}\n`))
  return 1
}
