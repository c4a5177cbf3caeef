import type { AdminToken } from '@wayleave/admin-api'
import { type Digest, sameDigest } from '@wayleave/auth'
import type { Clock } from '@wayleave/jsonrpc-core'

/** The two secrets of a new session; both go with each request of it, one as a cookie and one in a header. */
export interface SessionSecrets {
  readonly id: string
  readonly csrf: string
}

/** The sessions of the console, in memory. Each has the rights of the token that opened it, and ends with that. */
export interface ConsoleSessions {
  /** Opens a session; where there are as many as may be, the oldest one ends. */
  open(token: AdminToken): SessionSecrets
  /** Finds the token of a session, and counts that as its use; undefined where it has ended, or a secret is wrong. */
  use(secrets: SessionSecrets): AdminToken | undefined
  end(secrets: SessionSecrets): void
  /** Ends those whose token is not among these, and gives the others the rights that it has now. */
  adopt(tokens: readonly AdminToken[]): void
}

interface Session {
  token: AdminToken
  readonly csrfDigest: string
  readonly openedAt: number
  usedAt: number
}

const mostSessions = 100
/** The longest life of a session, in ms. */
export const sessionMs = 43_200_000
/** Time without a request after which it ends, in ms. */
const idleMs = 7_200_000

export interface ConsoleSessionsOptions {
  readonly sha256: Digest
  /** 64 hex digits that nobody can guess. */
  readonly newSecret: () => string
  readonly clock: Pick<Clock, 'now' | 'date'>
}

/** Creates it. Sessions are kept by the digests of their secrets. */
export function createConsoleSessions({ sha256, newSecret, clock }: ConsoleSessionsOptions): ConsoleSessions {
  /** By the digest of the id, the oldest first. */
  const sessions = new Map<string, Session>()

  function find({ id, csrf }: SessionSecrets): { readonly key: string; readonly session: Session } | undefined {
    const key = sha256(id)
    const session = sessions.get(key)
    if (session === undefined || !sameDigest(session.csrfDigest, sha256(csrf))) return undefined
    if (!hasEnded(session)) return { key, session }
    sessions.delete(key)
    return undefined
  }

  function hasEnded({ token: { expiresAt }, openedAt, usedAt }: Session): boolean {
    const now = clock.now()
    if (now - openedAt >= sessionMs || now - usedAt >= idleMs) return true
    return expiresAt !== undefined && expiresAt <= clock.date()
  }

  return {
    open(token) {
      for (const [key, session] of sessions) if (hasEnded(session)) sessions.delete(key)
      if (sessions.size >= mostSessions) sessions.delete(sessions.keys().next().value!)
      const secrets = { id: newSecret(), csrf: newSecret() }
      const now = clock.now()
      sessions.set(sha256(secrets.id), { token, csrfDigest: sha256(secrets.csrf), openedAt: now, usedAt: now })
      return secrets
    },
    use(secrets) {
      const found = find(secrets)
      if (found === undefined) return undefined
      found.session.usedAt = clock.now()
      return found.session.token
    },
    end(secrets) {
      const found = find(secrets)
      if (found !== undefined) sessions.delete(found.key)
    },
    adopt(tokens) {
      for (const [key, session] of sessions) {
        const { tokenHash, name } = session.token
        const token = tokens.find((each) => each.tokenHash === tokenHash && each.name === name)
        if (token === undefined) sessions.delete(key)
        else session.token = token
      }
    },
  }
}
