import { systemClock } from '@wayleave/jsonrpc-core'
import type { GatewayPlace } from './open-accounts.ts'

/** An answer of an admin listener. */
export interface AdminAnswer {
  /** 0: there was none, and the body tells why. */
  readonly status: number
  readonly body: string
}

/** Longest answer that is read, in bytes. */
const longestAnswer = 16 * 1_048_576

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
    return { status: response.status, body: await readText(response) }
  } catch {
    const silence = controller.signal.aborted
      ? `${url} gave no answer within ${timeoutMs / 1_000} s`
      : `nothing answers at ${url}`
    return { status: 0, body: `${silence}: --admin URL names the admin listener of a gateway` }
  } finally {
    stop()
  }
}

async function readText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let [text, size] = ['', 0]
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > longestAnswer) return ''
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
