import type { AdminToken } from '@wayleave/admin-api'
import { type Digest, parseHash } from '@wayleave/auth'
import { dateOf } from '@wayleave/network/config'
import type { AdminConfig } from '../config/admin-config.ts'

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
