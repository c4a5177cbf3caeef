/** A wrong value of a request. */
export interface AdminIssue {
  /** The place in the body, as people write it: `rules.methods[0]`; of a query parameter `query.limit`; empty for the body itself. */
  readonly path: string
  readonly message: string
}

/**
 * - `invalid_json`: the body is no JSON, or has a member twice (HTTP 400).
 * - `unauthorized`: no token, an unknown or an expired one (401).
 * - `forbidden`: the token has none of the scopes that the route asks for (403).
 * - `not_found`: no such route or record (404).
 * - `method_not_allowed`: the path has other methods (405).
 * - `conflict`: another record, or the configuration, stands in the way (409).
 * - `too_large`: the body is longer than 1 MiB (413).
 * - `unsupported_type`: the body is not `application/json` (415).
 * - `invalid`: a value is wrong; `issues` has all that are (422).
 * - `internal`: a fault of the service, which its log explains (500).
 * - `unavailable`: the store cannot be used now, too many streams are open, or there is no IPFS (503).
 * - `invalid_options`: `createAdminApi` or `createAdminClient` was called with something that cannot be used.
 * - `unreachable`: the client got no answer.
 * - `unreadable`: the client got an answer that is none of this API.
 */
export type AdminErrorCode =
  | 'invalid_json'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'too_large'
  | 'unsupported_type'
  | 'invalid'
  | 'internal'
  | 'unavailable'
  | 'invalid_options'
  | 'unreachable'
  | 'unreadable'

/** The one error class of the package. Its message holds no token, key, secret or digest. */
export class AdminError extends Error {
  override readonly name: string = 'AdminError'
  readonly code: AdminErrorCode
  /** Given with `invalid`, and with `conflict` where several things stand in the way. */
  readonly issues: readonly AdminIssue[]

  constructor(
    code: AdminErrorCode,
    message: string,
    options: { readonly issues?: readonly AdminIssue[]; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.issues = options.issues ?? []
  }
}

/** Makes the error of values that are wrong. */
export function invalid(issues: readonly AdminIssue[]): AdminError {
  return new AdminError('invalid', 'the request has values that are wrong', { issues })
}

/** Makes the error of several things that stand in the way. */
export function conflicting(issues: readonly AdminIssue[]): AdminError {
  return new AdminError('conflict', 'other records stand in the way', { issues })
}

export function notFound(what: string): AdminError {
  return new AdminError('not_found', `there is no ${what}`)
}
