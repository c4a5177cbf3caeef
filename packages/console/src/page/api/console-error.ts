/** One thing that is wrong with a request; `path` as people write it: `limits.perSecond.credits`, empty for the whole. */
export interface Issue {
  readonly path: string
  readonly message: string
}

/** The one error class of the page. Its message is for the person before it. */
export class ConsoleError extends Error {
  override readonly name: string = 'ConsoleError'
  /** The HTTP status; 0: there was no answer. */
  readonly status: number
  /** The code of the answer, such as `conflict`; `unreachable` or `unreadable` without one. */
  readonly code: string
  readonly issues: readonly Issue[]
  /** Seconds after which to ask again, where the answer names them. */
  readonly retryAfter: number | undefined

  constructor(
    message: string,
    more: { status: number; code: string; issues?: readonly Issue[]; retryAfter?: number | undefined; cause?: unknown },
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.status = more.status
    this.code = more.code
    this.issues = more.issues ?? []
    this.retryAfter = more.retryAfter
  }
}

/** Makes an error of whatever was thrown. */
export function asConsoleError(thrown: unknown): ConsoleError {
  if (thrown instanceof ConsoleError) return thrown
  const text = thrown instanceof Error ? thrown.message : String(thrown)
  return new ConsoleError(`The page itself failed: ${text}`, { status: 0, code: 'internal', cause: thrown })
}
