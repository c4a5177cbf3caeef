/**
 * - `unsupported_runtime`: this Node has no `node:sqlite`.
 * - `unavailable`: the database cannot be opened or reached, or cannot be trusted to keep what is written; see {@link StoreFault}.
 * - `corrupt`: the file is no SQLite database, or is damaged; or a row is not what was written.
 * - `newer_version`: a newer version of this package has changed the database.
 * - `closed`: the stores were closed.
 * - `invalid`: a value that no store keeps; the message names it and says what is expected.
 * - `not_found`: the record to change does not exist.
 * - `conflict`: the record stands in the way of another one.
 */
export type StoresErrorCode =
  | 'unsupported_runtime'
  | 'unavailable'
  | 'corrupt'
  | 'newer_version'
  | 'closed'
  | 'invalid'
  | 'not_found'
  | 'conflict'

/**
 * Names why a database cannot be used now. It may be shown to anybody: it tells no file, host or user.
 *
 * SQLite: `deleted`, `replaced` (another file stands at the path), `overwritten` (its content is another's),
 * `truncated` (the file got shorter), `log_deleted` (`-wal` or `-shm`
 * is gone or another), `busy` (another process writes for over 5 s). PostgreSQL: `unreachable`, `refused` (the user or the password),
 * `silent` (no answer in time). Both: `full`, `read_only`, `damaged`, `failed` (anything else).
 */
export type StoreFault =
  | 'deleted'
  | 'replaced'
  | 'overwritten'
  | 'truncated'
  | 'log_deleted'
  | 'busy'
  | 'unreachable'
  | 'refused'
  | 'silent'
  | 'full'
  | 'read_only'
  | 'damaged'
  | 'failed'

/** The one error class of the package. Its message names the file, or the host and database, and never credentials. */
export class StoresError extends Error {
  override readonly name: string = 'StoresError'
  readonly code: StoresErrorCode
  /** Given with `unavailable`, and with `corrupt` where the whole file is meant. */
  readonly fault: StoreFault | undefined

  constructor(
    code: StoresErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly fault?: StoreFault } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.fault = options.fault
  }
}
