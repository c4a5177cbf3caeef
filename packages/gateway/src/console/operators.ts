import type { IncomingMessage } from 'node:http'
import type { AdminScope, AdminToken, Operator } from '@wayleave/admin-api'
import { type Digest, sameDigest } from '@wayleave/auth'
import type { Clock } from '@wayleave/jsonrpc-core'
import { createConsoleSessions, type SessionSecrets } from './console-sessions.ts'
import { createSignInAttempts } from './sign-in-attempts.ts'

/** The parts of a request that tell who asks. */
export type OperatorRequest = Pick<IncomingMessage, 'headers'>

/** Decides for all of the admin listener who asks and what they may do: by a token, or by a session of the console that one has opened. */
export interface Operators {
  /** Whether the console needs no token now. */
  readonly isOpen: boolean
  /** Whether it needs none while none is set. */
  readonly mayBeOpen: boolean
  /** Finds whoever asks; undefined: nobody who is known. */
  of(request: OperatorRequest): Operator | undefined
  /** Judges a request that needs one of `scopes`, or `all`. Without any token, everybody may. */
  judge(request: OperatorRequest, scopes: readonly AdminScope[]): 'admitted' | 'unauthorized' | 'forbidden'
  /** Opens a session, unless the token is wrong, or too many were. `address`: of the caller. */
  signIn(token: string, address: string): SignIn
  /** Ends the session of a request. */
  signOut(request: OperatorRequest): void
  /** Takes other tokens; sessions of those that are gone end. */
  adopt(tokens: readonly AdminToken[]): void
}

/** The outcome of a sign-in. */
export type SignIn =
  | { readonly operator: Operator; readonly secrets: SessionSecrets }
  | { readonly refused: 'wrong' }
  | { readonly refused: 'too_many'; readonly waitMs: number }

export interface OperatorsOptions {
  /** Whether the console may be used without a token, as long as none is set. */
  readonly mayBeOpen?: boolean
  readonly sha256: Digest
  /** 64 hex digits that nobody can guess. */
  readonly newSecret: () => string
  readonly clock: Pick<Clock, 'now' | 'date'>
}

/** The header that requests of the console carry, beside the cookie: the second secret of the session, or `open`. */
const consoleHeader = 'x-wayleave-console'
/** Longer tokens are not hashed, in characters. */
const longestToken = 1_024
/** The operator of a console that needs no token. A page from elsewhere cannot send the header without being asked for leave. */
const ofOpenConsole: Operator = { name: 'console', scopes: ['all'] }

/** Creates it, without tokens. Each digest is compared in constant time, and a token that has expired counts as none. */
export function createOperators(options: OperatorsOptions): Operators {
  const { mayBeOpen = false, sha256, newSecret, clock } = options
  const sessions = createConsoleSessions({ sha256, newSecret, clock })
  const attempts = createSignInAttempts()
  let tokens: readonly AdminToken[] = []
  const isOpenNow = (): boolean => mayBeOpen && tokens.length === 0

  function tokenOf(given: string | undefined): AdminToken | undefined {
    if (given === undefined || given.length > longestToken) return undefined
    const digest = sha256(given)
    let found: AdminToken | undefined
    for (const token of tokens) if (sameDigest(token.tokenHash, digest)) found = token
    return found?.expiresAt !== undefined && found.expiresAt <= clock.date() ? undefined : found
  }

  function of({ headers }: OperatorRequest): Operator | undefined {
    const { authorization } = headers
    if (authorization !== undefined) return tokenOf(/^bearer +(.+)$/i.exec(authorization)?.[1])
    const secret = headers[consoleHeader]
    if (secret === undefined || !isOwnPage(headers)) return undefined
    if (secret === 'open') return isOpenNow() ? ofOpenConsole : undefined
    const secrets = secretsOf(headers)
    return secrets && sessions.use(secrets)
  }

  return {
    get isOpen() {
      return isOpenNow()
    },
    mayBeOpen,
    of,
    judge(request, scopes) {
      if (tokens.length === 0) return 'admitted'
      const operator = of(request)
      if (operator === undefined) return 'unauthorized'
      return operator.scopes.some((scope) => scope === 'all' || scopes.includes(scope)) ? 'admitted' : 'forbidden'
    },
    signIn(given, address) {
      const now = clock.now()
      const waitMs = attempts.waitMs(address, now)
      if (waitMs > 0) return { refused: 'too_many', waitMs }
      const token = tokenOf(given)
      if (token !== undefined) return { operator: token, secrets: sessions.open(token) }
      attempts.wrong(address, now)
      return { refused: 'wrong' }
    },
    signOut({ headers }) {
      const secrets = isOwnPage(headers) ? secretsOf(headers) : undefined
      if (secrets !== undefined) sessions.end(secrets)
    },
    adopt(next) {
      tokens = next
      sessions.adopt(next)
    },
  }
}

/** Names the cookie of a session: cookies go to all ports of a host, so that each gateway needs a name of its own. */
export function cookieName(host: string | undefined): string {
  return `wayleave-${URL.parse(`http://${host}`)?.port || '80'}`
}

/**
 * Tells whether a request comes from a page of the host that it asks, or from no page. Whoever stands in front may have another scheme, so
 * that of the origin is not compared.
 */
export function isOwnPage({
  host,
  origin,
  'sec-fetch-site': site = 'same-origin',
}: IncomingMessage['headers']): boolean {
  if (site !== 'same-origin') return false
  return origin === undefined || (URL.parse(origin)?.host ?? '') === URL.parse(`http://${host}`)?.host
}

function secretsOf(headers: IncomingMessage['headers']): SessionSecrets | undefined {
  const csrf = headers[consoleHeader]
  const name = cookieName(headers.host)
  const cookies = headers.cookie?.split(';').map((text) => text.trim()) ?? []
  const id = cookies.find((text) => text.startsWith(`${name}=`))?.slice(name.length + 1)
  const isSecret = /^[0-9a-f]{64}$/
  return typeof csrf === 'string' && id !== undefined && isSecret.test(csrf) && isSecret.test(id)
    ? { id, csrf }
    : undefined
}
