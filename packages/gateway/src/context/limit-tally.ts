import type { RpcError } from '@wayleave/jsonrpc-core'

/** The calls of one request over HTTP, as the limits of its caller took them. */
export interface LimitTally {
  /** The method of a single call; empty for a batch, and before any call was read. */
  method: string
  /** Whether the limits let any call pass. */
  hasAdmitted: boolean
  /** A refusal of a call of a batch: of all, the one after which a retry helps last, or any where none helps. */
  refusal: RpcError | undefined
}

/** Begins the tally of a request. */
export function createLimitTally(): LimitTally {
  return { method: '', hasAdmitted: false, refusal: undefined }
}

/** Takes note of a refused call of a batch. */
export function tallyRefusal(tally: LimitTally, refusal: RpcError): void {
  const known = tally.refusal
  if (known === undefined || (refusal.retryAfterMs ?? 0) > (known.retryAfterMs ?? 0)) tally.refusal = refusal
}

/** Returns a refusal that stands for a whole batch; undefined where any of its calls was admitted. */
export function refusalOfAll({ hasAdmitted, refusal }: LimitTally): RpcError | undefined {
  return hasAdmitted ? undefined : refusal
}
