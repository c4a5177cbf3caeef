/**
 * Names the failure for a program.
 *
 * Codes of a client:
 * - `timeout`: no byte came for longer than allowed, at the beginning or in the middle of a body.
 * - `aborted`: the caller's signal ended the call.
 * - `connect`: the host could not be reached, or the connection broke before an answer.
 * - `http_status`: the host refused; `status` and the message tell why.
 * - `truncated`: a body ended before it was whole.
 * - `stream_error`: the host broke off a body and said so in its trailer `X-Stream-Error`, or by a line of its answer.
 * - `invalid_response`: the answer is none of this API.
 * - `mismatch`: the bytes are not those of the CID, or the CID is not that of the bytes.
 * - `unverified`: a proof was required, and nothing came by which the content could be checked.
 *
 * Codes of a backend, a store or the server:
 * - `bad_argument`: a parameter or a path has no meaning.
 * - `unsupported`: this service does not do that.
 * - `not_found`: the block is not here, or the path leads nowhere.
 * - `not_pinned`: there is nothing to unpin.
 * - `is_directory`: the bytes of a directory were asked for.
 * - `too_large`: a block, request or answer is beyond a cap.
 * - `bad_content`: content is not what its CID, codec or archive says.
 * - `storage`: the disk refused: full, no permission, too many open files; the message says what to do.
 * - `unavailable`: the store of the pins cannot be used now; the message says why. The server answers 503 with `Retry-After`.
 * - `forbidden`: not allowed for this project.
 * - `closed`: the store or service was closed.
 */
export type IpfsErrorCode =
  | 'timeout'
  | 'aborted'
  | 'connect'
  | 'http_status'
  | 'truncated'
  | 'stream_error'
  | 'invalid_response'
  | 'mismatch'
  | 'unverified'
  | 'bad_argument'
  | 'unsupported'
  | 'not_found'
  | 'not_pinned'
  | 'is_directory'
  | 'too_large'
  | 'bad_content'
  | 'storage'
  | 'unavailable'
  | 'forbidden'
  | 'closed'

/** The one error class of the package. Its message never holds a key, a secret or the credentials of a URL. */
export class IpfsError extends Error {
  override readonly name: string = 'IpfsError'
  readonly code: IpfsErrorCode
  /** The HTTP status, if a host refused. */
  readonly status: number | undefined

  constructor(
    code: IpfsErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly status?: number | undefined } = {},
  ) {
    super(message, options)
    this.code = code
    this.status = options.status
  }
}
