import type { AdminScope, AdminToken } from '@wayleave/admin-api'
import { type Digest, parseHash, sameDigest } from '@wayleave/auth'
import type { AdminConfig } from '../config/config.ts'
import { dateOf } from '../config/moment.ts'

/** The tokens of a configuration. `admin.token` has every scope. */
export function adminTokensOf({ token, tokens = [] }: AdminConfig = {}, sha256: Digest): readonly AdminToken[] {
  const further = tokens.map(({ name, tokenHash, scopes, expiresAt }) => ({
    name,
    tokenHash: parseHash(tokenHash)!,
    scopes,
    ...(expiresAt !== undefined && { expiresAt: dateOf(expiresAt) }),
  }))
  return token === undefined
    ? further
    : [{ name: 'admin.token', tokenHash: sha256(token), scopes: ['all'] }, ...further]
}

/** Judges the `Authorization` header of an operator's request, which needs one of `scopes`, or `all`. */
export type JudgeOperator = (
  authorization: string | undefined,
  scopes: readonly AdminScope[],
) => 'admitted' | 'unauthorized' | 'forbidden'

/** Longer tokens are not hashed, in characters. */
const longestToken = 1_024

/**
 * Makes the judge. Without any token everybody is admitted; else each digest is compared in constant time, and a token that has expired
 * counts as none. `now`: Unix time in ms.
 */
export function createOperatorJudge(tokens: readonly AdminToken[], sha256: Digest, now: () => number): JudgeOperator {
  if (tokens.length === 0) return () => 'admitted'
  return (authorization = '', scopes) => {
    const given = /^bearer +(.+)$/i.exec(authorization)?.[1]
    if (given === undefined || given.length > longestToken) return 'unauthorized'
    const digest = sha256(given)
    let found: AdminToken | undefined
    for (const token of tokens) if (sameDigest(token.tokenHash, digest)) found = token
    if (found === undefined || (found.expiresAt !== undefined && found.expiresAt <= now())) return 'unauthorized'
    return found.scopes.some((scope) => scope === 'all' || scopes.includes(scope)) ? 'admitted' : 'forbidden'
  }
}
