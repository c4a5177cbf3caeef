import { type Clock, RpcError, systemClock } from '@wayleave/jsonrpc-core'

/**
 * Returns a JWT, such as one that a server of yours has signed. It is called before the first call, shortly before the `exp` of the last
 * token, and once a token was refused; never twice at a time. The signal aborts after ten seconds.
 */
export type TokenProvider = (options: { readonly signal: AbortSignal }) => string | Promise<string>

/** Gives the JWT of a client to its transports. */
export interface TokenSource {
  /** Returns the token to send now: at once while one is held. @throws RpcError `unavailable`, `not_sent`, where none can be had */
  take(): string | Promise<string>
  /** Tells that a peer refused this token with 401. Returns whether {@link TokenSource.take} may give another one. */
  refuse(token: string): boolean
}

interface Held {
  readonly text: string
  /** Unix time in ms; infinite for a token that does not tell. */
  readonly expiresAt: number
  /** Unix times in ms. */
  readonly renewAt: number
  readonly receivedAt: number
  isRefused: boolean
  /** Whether it came in the place of a refused one. */
  readonly isReplacement: boolean
}

const longestToken = 8_192
/** Times in ms. */
const patience = 10_000
const longestMargin = 30_000
/** Shortest time between calls of a provider that fails, or whose tokens are of no use. */
const pause = 1_000

/** Creates the source of a fixed token, or of those of a provider. */
export function createTokenSource(token: string | TokenProvider, clock: Clock = systemClock): TokenSource {
  if (typeof token === 'function') return createProvidedTokens(token, clock)
  return { take: () => token, refuse: () => false }
}

function createProvidedTokens(provider: TokenProvider, clock: Clock): TokenSource {
  let held: Held | undefined
  let asking: Promise<string> | undefined
  let failure: RpcError | undefined
  let notBefore = 0

  async function call(signal: AbortSignal): Promise<unknown> {
    try {
      return await provider({ signal })
    } catch (cause) {
      throw failed('the provider failed: see cause', cause)
    }
  }

  async function ask(): Promise<string> {
    const aborting = new AbortController()
    const late = new Promise<never>((_resolve, reject) => {
      aborting.signal.addEventListener('abort', () => reject(aborting.signal.reason), { once: true })
    })
    const stop = clock.after(patience, () => {
      aborting.abort(failed(`the provider did not return one within ${patience} ms`))
    })
    try {
      const text: unknown = await Promise.race([call(aborting.signal), late])
      if (!isToken(text)) throw failed(`expected ${aToken} from the provider`)
      held = hold(text)
      failure = undefined
      return text
    } catch (thrown) {
      failure = thrown as RpcError
      notBefore = clock.date() + pause
      return rest(failure)
    } finally {
      stop()
      asking = undefined
    }
  }

  function hold(text: string): Held {
    const receivedAt = clock.date()
    const expiresAt = expiryOf(text)
    const margin = Math.min(longestMargin, (expiresAt - receivedAt) / 5)
    const renewAt = Number.isFinite(expiresAt) ? Math.max(expiresAt - margin, receivedAt + pause) : expiresAt
    return { text, expiresAt, renewAt, receivedAt, isRefused: false, isReplacement: held?.isRefused ?? false }
  }

  /** Returns the last token while it is valid, else throws. */
  function rest(why: RpcError): string {
    if (held !== undefined && !held.isRefused && clock.date() < held.expiresAt) return held.text
    throw why
  }

  return {
    take() {
      const now = clock.date()
      if (held !== undefined && !held.isRefused && now < held.renewAt) return held.text
      if (asking === undefined && now < notBefore) return failure === undefined ? held!.text : rest(failure)
      return (asking ??= ask())
    },
    refuse(text) {
      // Another call may have replaced it already.
      if (held === undefined || held.text !== text) return true
      held.isRefused = true
      if (!held.isReplacement || clock.date() - held.receivedAt >= pause) return true
      notBefore = held.receivedAt + pause
      return false
    },
  }
}

const aToken = `a JWT of 1 to ${longestToken} printable ASCII characters`

function isToken(text: unknown): text is string {
  return typeof text === 'string' && text.length <= longestToken && /^[\x21-\x7e]+$/.test(text)
}

/** Reads the claim `exp` as Unix time in ms, without checking anything; infinite where there is none. */
function expiryOf(token: string): number {
  try {
    const payload = token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/')
    const { exp } = JSON.parse(atob(payload)) as { readonly exp?: unknown }
    return typeof exp === 'number' ? exp * 1_000 : Number.POSITIVE_INFINITY
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

function failed(why: string, cause?: unknown): RpcError {
  return new RpcError('unavailable', `token: ${why}`, { delivery: 'not_sent', ...(cause !== undefined && { cause }) })
}
