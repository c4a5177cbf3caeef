/** `usage`: the command line; `subject`: a process did not start or broke; `wrong_answer`: an answer was not right. */
export type BenchErrorCode = 'usage' | 'subject' | 'wrong_answer'

/** Ends a bench without a result. */
export class BenchError extends Error {
  override readonly name = 'BenchError'
  readonly code: BenchErrorCode

  constructor(code: BenchErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
