import { type Authenticate, type AuthResult, parseBasic } from '@wayleave/auth'

/**
 * Tells who calls the gas API: by the key of the path, else by the user of HTTP Basic (Spec §5). A password that is empty
 * counts as none, as clients without a secret send it so.
 */
export function authenticateGas(
  authenticate: Authenticate,
  key: string | undefined,
  authorization: string | undefined,
): AuthResult | Promise<AuthResult> {
  if (authorization === undefined) return authenticate(key, undefined)
  const basic = parseBasic(authorization)
  if (basic === undefined) return authenticate(key, authorization)
  const caller = key ?? basic.user
  const isKeyAlone = basic.password === '' && (basic.user === '' || basic.user === caller)
  return authenticate(caller, isKeyAlone ? undefined : authorization)
}
