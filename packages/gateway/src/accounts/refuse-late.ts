import type { Authenticate, AuthFailure, AuthResult, Digest } from '@wayleave/auth'

/** The changes of a store, as far as they are known. */
export interface KnownChanges {
  /** The number of the last one. */
  readonly seq: number
  /** Reads those that are not known, or gives up soon. */
  readAgain(): Promise<void>
}

/** Failures that a change of the accounts can turn into an admission. */
const mendable: ReadonlySet<AuthFailure | undefined> = new Set<AuthFailure>([
  'unknown_key',
  'revoked',
  'wrong_secret',
  'secret_required',
  'wrong_token',
  'token_required',
])

/**
 * Makes a check of callers that reads the changes of the accounts before it refuses one, so that a key serves from the moment in which it was
 * made, in every process. All who name a key wait alike: time does not tell which keys there are.
 */
export function refuseLate(authenticate: Authenticate, changes: KnownChanges): Authenticate {
  async function again(
    refused: AuthResult,
    seq: number,
    key: string | undefined,
    authorization: string | undefined,
    digestOf: Digest | undefined,
  ): Promise<AuthResult> {
    await changes.readAgain()
    return changes.seq === seq ? refused : authenticate(key, authorization, digestOf)
  }

  return (key, authorization, digestOf) => {
    // A change that comes while a token is verified counts, too.
    const { seq } = changes
    const result = authenticate(key, authorization, digestOf)
    if (result instanceof Promise) {
      return result.then((late) => (mendable.has(late.failure) ? again(late, seq, key, authorization, digestOf) : late))
    }
    return mendable.has(result.failure) ? again(result, seq, key, authorization, digestOf) : result
  }
}
