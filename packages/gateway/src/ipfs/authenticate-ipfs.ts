import { type Authenticate, type AuthResult, parseBasic } from '@wayleave/auth'

/** Tells who calls the IPFS API: always by key and secret, as HTTP Basic (Spec §5). */
export function authenticateIpfs(
  authenticate: Authenticate,
  authorization: string | undefined,
): AuthResult | Promise<AuthResult> {
  if (authorization === undefined || authorization === '') return { failure: 'no_key' }
  const basic = parseBasic(authorization)
  if (basic === undefined) return { failure: 'wrong_secret' }
  return authenticate(basic.user, authorization)
}
