/**
 * - `unsupported_runtime`: this Node has no `node:sqlite`.
 * - `unavailable`: the database cannot be opened or reached.
 * - `corrupt`: the file is no SQLite database, or is damaged; or a row is not what was written.
 * - `newer_version`: a newer version of this package has changed the database.
 * - `closed`: the stores were closed.
 */
export type StoresErrorCode = 'unsupported_runtime' | 'unavailable' | 'corrupt' | 'newer_version' | 'closed'

/** The one error class of the package. Its message names the file, or the host and database, and never credentials. */
export class StoresError extends Error {
  override readonly name: string = 'StoresError'
  readonly code: StoresErrorCode

  constructor(code: StoresErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}
