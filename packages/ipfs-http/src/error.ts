/**
 * What went wrong, for a program.
 *
 * Of a client:
 * - `timeout`: no byte came for longer than allowed, at the beginning or in the middle of a body.
 * - `aborted`: the caller's signal.
 * - `connect`: the host could not be reached, or the connection broke before an answer.
 * - `http_status`: the host refused; `status` and the message tell why.
 * - `truncated`: a body ended before it was whole.
 * - `stream_error`: the host broke off a body and said so in its trailer `X-Stream-Error`, or by a line of its answer.
 * - `invalid_response`: what came is no answer of this API.
 * - `mismatch`: bytes that are not those of the CID, or a CID that is not that of the bytes.
 * - `unverified`: nothing came by which the content could be checked, where a proof was required.
 *
 * Of a backend, a store or the server:
 * - `bad_argument`: a parameter or a path that says nothing.
 * - `unsupported`: what this service does not do.
 * - `not_found`: a block that is not here, or a path that leads nowhere.
 * - `not_pinned`: nothing to unpin.
 * - `is_directory`: bytes of a directory were asked for.
 * - `too_large`: a block, request or answer beyond a cap.
 * - `bad_content`: content that is not what its CID, codec or archive says.
 * - `storage`: the disk refused: full, no permission, too many open files; the message says what to do.
 * - `forbidden`: not allowed for this project.
 * - `closed`: it was closed.
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
  | 'forbidden'
  | 'closed'

/** The one error class of the package. Its message never holds a key, a secret or the credentials of a URL. */
export class IpfsError extends Error {
  override readonly name: string = 'IpfsError'
  readonly code: IpfsErrorCode
  /** The HTTP status, where a host refused. */
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
