import type { Authenticate, AuthFailure, AuthResult } from '@wayleave/auth'

/** What a change of the accounts can turn into an admission. */
const mendable: ReadonlySet<AuthFailure | undefined> = new Set<AuthFailure>([
  'unknown_key',
  'wrong_secret',
  'secret_required',
  'wrong_token',
  'token_required',
])

/**
 * Makes a check of callers that reads the accounts again before it refuses one, so that a key serves from the moment in which it was made, in
 * every process. All who name a key wait alike: time does not tell which keys there are. `readAgain` tells whether anything had changed.
 */
export function refuseLate(authenticate: Authenticate, readAgain: () => Promise<boolean>): Authenticate {
  async function again(
    refused: AuthResult,
    key: string | undefined,
    authorization: string | undefined,
  ): Promise<AuthResult> {
    return (await readAgain()) ? authenticate(key, authorization) : refused
  }

  return (key, authorization) => {
    const result = authenticate(key, authorization)
    if (result instanceof Promise) {
      return result.then((late) => (mendable.has(late.failure) ? again(late, key, authorization) : late))
    }
    return mendable.has(result.failure) ? again(result, key, authorization) : result
  }
}
