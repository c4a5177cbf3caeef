import type { RawJson } from '@wayleave/jsonrpc-core'
import type { Evidence } from './evidence.ts'
import type { Judge } from './judge.ts'
import type { Finding } from './finding.ts'

/** A call whose answer a check verifies. */
export interface Call {
  readonly method: string
  readonly params: readonly unknown[]
  /** The source of proofs; undefined if only the answer itself is checked. */
  readonly evidence: Evidence | undefined
  /** Whether receipts may be fetched to prove that logs are all there. */
  readonly provesLogs: boolean
  /** The most blocks of a range whose logs may be proven, besides what the calls of a proof allow. */
  readonly maxLogBlocks: number | undefined
  /** Runs the checks that take long. */
  readonly judge: Judge['judge']
  readonly judgeText: Judge['judgeText']
  /** Makes the call, or an equivalent one that names the block by its hash. At most once; undefined if the node answers an error. */
  ask(method?: string, params?: readonly unknown[]): Promise<unknown>
  /** The same as it came, without reading the answer. */
  askHeld(): Promise<RawJson | undefined>
}

/** Makes a call and verifies its answer. @throws VerifyError */
export type Check = (call: Call) => Promise<Finding>

/** Checks by method. */
export type Checks = Readonly<Record<string, Check>>

/** The answer of a call, and evidence fetched meanwhile, which is undefined if the answer is null or an error. */
export async function beside<T>(answer: Promise<unknown>, fetched: Promise<T>): Promise<[unknown, T | undefined]> {
  // A rejection is handled below, or does not matter.
  fetched.catch(() => {})
  const value = await answer
  return [value, value == null ? undefined : await fetched]
}
