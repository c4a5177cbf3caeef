/**
 * The reasons of an {@link AuthError}.
 *
 * - `invalid_key`: a key that {@link isApiKey} refuses, or a digest that is none.
 * - `invalid_secret`: a secret that {@link isApiSecret} refuses, or more of them than a key may have.
 * - `missing_secret`: a key without a secret in a project that requires one.
 * - `duplicate_key`: a key that is listed twice.
 * - `invalid_credentials`: a user or password that HTTP Basic cannot carry.
 * - `invalid_rules`: an allowlist that is too long or has an entry of another form.
 * - `invalid_jwt_key`: a public key that is none, is too weak, or is one too many.
 * - `unknown_project`: a key of a project that is not there.
 */
export type AuthErrorCode =
  | 'invalid_key'
  | 'invalid_secret'
  | 'missing_secret'
  | 'duplicate_key'
  | 'invalid_credentials'
  | 'invalid_rules'
  | 'invalid_jwt_key'
  | 'unknown_project'

/** The one error class of the package. Its message names projects and positions, never a key or a secret. */
export class AuthError extends Error {
  override readonly name: string = 'AuthError'
  readonly code: AuthErrorCode

  constructor(code: AuthErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
