import type { Evidence } from './evidence.ts'
import type { Finding } from './finding.ts'

/** A call whose answer is checked. */
export interface Call {
  readonly method: string
  readonly params: readonly unknown[]
  /** What proofs are made of; undefined where the answer alone is looked at. */
  readonly evidence: Evidence | undefined
  /** Whether receipts may be fetched to prove that logs are all there. */
  readonly provesLogs: boolean
  /**
   * Makes the call, or a like one that names the same block by its hash. Once; undefined where the peer answered an error.
   */
  ask(method?: string, params?: readonly unknown[]): Promise<unknown>
}

/** Makes a call, and finds out what its answer is worth. @throws VerifyError */
export type Check = (call: Call) => Promise<Finding>

/** The answer of a call, and what was fetched meanwhile; that is undefined where the answer is null or none. */
export async function beside<T>(answer: Promise<unknown>, fetched: Promise<T>): Promise<[unknown, T | undefined]> {
  // It is looked at below, or not at all.
  fetched.catch(() => {})
  const value = await answer
  return [value, value == null ? undefined : await fetched]
}
