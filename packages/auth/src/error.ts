/**
 * The reasons of an {@link AuthError}.
 *
 * - `invalid_key`: a key that {@link isApiKey} refuses.
 * - `invalid_secret`: a secret that {@link isApiSecret} refuses.
 * - `missing_secret`: a key without a secret in a project that requires one.
 * - `duplicate_key`: a key that is listed twice.
 * - `invalid_credentials`: a user or password that HTTP Basic cannot carry.
 */
export type AuthErrorCode =
  | 'invalid_key'
  | 'invalid_secret'
  | 'missing_secret'
  | 'duplicate_key'
  | 'invalid_credentials'

/** The one error class of the package. Its message names projects and positions, never a key or a secret. */
export class AuthError extends Error {
  override readonly name: string = 'AuthError'
  readonly code: AuthErrorCode

  constructor(code: AuthErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
