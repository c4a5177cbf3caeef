/**
 * - `unsupported`: a type of transaction that this package cannot encode, or one without a signature.
 * - `malformed`: a member is missing, has another form than its type demands, or contradicts another.
 * - `invalid_signature`: no account can have signed this.
 * - `invalid_proof`: nodes of a trie that are no proof against its root.
 * - `mismatch`: an answer is false, or not what was asked for.
 * - `unproven`: the answer can be shown neither false nor true.
 */
export type VerifyErrorCode =
  | 'unsupported'
  | 'malformed'
  | 'invalid_signature'
  | 'invalid_proof'
  | 'mismatch'
  | 'unproven'

/** The error class of the package. Its message says what is wrong with which member. */
export class VerifyError extends Error {
  override readonly name: string = 'VerifyError'
  readonly code: VerifyErrorCode
  /** The member: `nonce`, `accessList[0].address`; empty for the value itself. */
  readonly field: string

  constructor(code: VerifyErrorCode, field: string, message: string) {
    super(message)
    this.code = code
    this.field = field
  }
}

/** The error of an element, as one of the list that holds it at `path`. */
export function errorUnder(path: string | number, { code, field, message }: VerifyError): VerifyError {
  return new VerifyError(code, `${path}.${field}`, `${path}.${message}`)
}
