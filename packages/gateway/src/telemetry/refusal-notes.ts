import type { Log } from '@wayleave/telemetry'
import type { Refusal } from '../refusal.ts'
import type { Metrics } from './metrics.ts'

/** The origin of a request that was not admitted. */
export interface RefusedRequest {
  readonly traceId: string
  readonly network: string | undefined
  /** The IP address of its caller. */
  readonly address: string
}

/** A refusal, with the cause that its caller is not told. */
export interface NotedRefusal {
  readonly refused: Refusal['refused']
  readonly keyId?: string | undefined
  readonly why?: string | undefined
}

/** Takes note of a request that was not admitted; `request` where its key was looked at. */
export type NoteRefusal = (refusal: NotedRefusal, request?: RefusedRequest) => void

/** Reasons that are about a key, of which the log has a line. Denials have their own. */
const aboutKeys: ReadonlySet<Refusal['refused']> = new Set<Refusal['refused']>([
  'no_key',
  'unknown_key',
  'revoked',
  'wrong_secret',
  'secret_required',
  'wrong_token',
  'token_required',
  'two_keys',
])

/** Creates a {@link NoteRefusal} that counts refusals, and logs those of keys: a line for each reason, every ten seconds at most. */
export function createRefusalNotes({
  log,
  metrics,
}: {
  readonly log: Pick<Log, 'repeats'>
  readonly metrics: Pick<Metrics, 'admissionRefusals'>
}): NoteRefusal {
  return ({ refused: reason, keyId: key, why }, request) => {
    metrics.admissionRefusals(reason).add()
    if (request === undefined || !aboutKeys.has(reason)) return
    log.repeats.warn(['key', reason], { ...request, key, reason, why }, 'a key was refused')
  }
}
