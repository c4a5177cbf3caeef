import { systemClock } from '@wayleave/jsonrpc-core'
import { UsageError } from '../command.ts'
import type { GatewayPlace } from './open-accounts.ts'

/** An answer of an admin listener. */
export interface AdminAnswer {
  /** 0: there was none, and the body tells why. */
  readonly status: number
  readonly body: string
}

/** Longest answer that is read, in bytes. */
const longestAnswer = 16 * 1_048_576

/** Asks the admin listener of a running gateway, outside of its API for accounts. Never follows a redirect. @throws UsageError for its URL */
export async function askAdmin(
  { url, token, timeoutMs }: GatewayPlace,
  method: 'GET' | 'POST',
  path: string,
): Promise<AdminAnswer> {
  const base = URL.canParse(url) ? new URL(url) : undefined
  if (base === undefined || !/^https?:$/.test(base.protocol) || base.username !== '' || base.password !== '') {
    throw new UsageError('--admin: expected an http or https URL without credentials')
  }
  const controller = new AbortController()
  const stop = systemClock.after(timeoutMs, () => controller.abort())
  try {
    const response = await fetch(`${base.origin}${path}`, {
      method,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      // The token goes to nobody else.
      redirect: 'error',
      signal: controller.signal,
    })
    return { status: response.status, body: await readText(response) }
  } catch {
    const silence = controller.signal.aborted
      ? `${base.origin} gave no answer within ${timeoutMs / 1_000} s`
      : `nothing answers at ${base.origin}`
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
