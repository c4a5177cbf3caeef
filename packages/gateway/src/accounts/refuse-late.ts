import type { Authenticate, AuthFailure, AuthResult } from '@wayleave/auth'

/** What is known of a store's changes. */
export interface KnownChanges {
  /** The number of the last one. */
  readonly seq: number
  /** Reads those that are not known, or gives up soon. */
  readAgain(): Promise<void>
}

/** What a change of the accounts can turn into an admission. */
const mendable: ReadonlySet<AuthFailure | undefined> = new Set<AuthFailure>([
  'unknown_key',
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
  return (key, authorization) => {
    const { seq } = changes

    async function again(refused: AuthResult): Promise<AuthResult> {
      await changes.readAgain()
      return changes.seq === seq ? refused : authenticate(key, authorization)
    }

    const result = authenticate(key, authorization)
    if (result instanceof Promise) return result.then((late) => (mendable.has(late.failure) ? again(late) : late))
    return mendable.has(result.failure) ? again(result) : result
  }
}
