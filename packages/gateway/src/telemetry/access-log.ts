import type { CallClass } from '@wayleave/network'
import { type Log, shortened } from '@wayleave/telemetry'
import type { Principal } from '../principal.ts'
import type { CallFailure } from './call-labels.ts'

/** A call that may get a line. */
export interface LoggedCall {
  readonly traceId: string
  readonly network: string
  readonly principal: Pick<Principal, 'project' | 'keyId'>
  readonly method: string
  readonly class: CallClass
  readonly isOfBatch: boolean
  /** Undefined: it has a result. */
  readonly failure: CallFailure | undefined
  readonly ms: number
  /** Undefined for a result that was still arriving, and for an error. */
  readonly bytes: number | undefined
}

/** Lines of single calls, as many as are asked for. */
export interface AccessLog {
  /** Whether this call gets a line: the coin is tossed before anything else. */
  takes(): boolean
  write(call: LoggedCall): void
  /** Takes another part of the calls from now on: 0 to 1. */
  adapt(sample: number): void
}

/** Creates an {@link AccessLog} that takes none. `random`: a number from 0 up to 1. */
export function createAccessLog({
  log,
  random,
}: {
  readonly log: Pick<Log, 'info'>
  readonly random: () => number
}): AccessLog {
  let part = 0
  return {
    takes: () => part > 0 && random() < part,
    write({ traceId, network, principal, method, class: name, isOfBatch, failure, ms, bytes }) {
      const { outcome, status, code } = failure ?? succeeded
      const { project, keyId: key } = principal
      const batch = isOfBatch ? true : undefined
      const fields = { traceId, network, project: project.id, key, method: shortened(method), class: name, batch }
      log.info({ ...fields, outcome, status, code, ms: Math.round(ms * 1_000) / 1_000, bytes }, 'a call')
    },
    adapt(sample) {
      part = sample
    },
  }
}

const succeeded = { outcome: 'ok', status: 200, code: undefined } as const
