/**
 * - `invalid_plan`: a plan, a limit or a share is not what its type says; the message names the member.
 * - `invalid_price`: a price is not a whole number from 0 up.
 * - `too_large`: a batch of usage is longer than the spool's cap.
 * - `timeout`: a store did not take a batch of usage in time.
 * - `in_use`: another process, or this one, has the file of the spool open.
 * - `closed`: the object was closed before.
 */
export type MeteringErrorCode = 'invalid_plan' | 'invalid_price' | 'too_large' | 'timeout' | 'in_use' | 'closed'

/** The one error class of the package. Its message says what was expected and what came; it never holds a key. */
export class MeteringError extends Error {
  override readonly name: string = 'MeteringError'
  readonly code: MeteringErrorCode

  constructor(code: MeteringErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options)
    this.code = code
  }
}

/** Returns `value` if it is a whole number of credits. @throws MeteringError `code` with the `path` of the member */
export function wholeNumber(
  code: 'invalid_plan' | 'invalid_price',
  path: string,
  value: unknown,
  { least = 0, most = 1e12 }: { readonly least?: number; readonly most?: number } = {},
): number {
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) return value as number
  const came = typeof value === 'number' || typeof value === 'string' ? String(value).slice(0, 40) : typeof value
  throw new MeteringError(code, `${path} must be a whole number from ${least} to ${most}, but is ${came}`)
}
