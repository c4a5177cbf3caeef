import type { Refusal } from '../refusal.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'

/** The origin of a request that was not admitted. */
export interface RefusedRequest {
  readonly traceId: string
  readonly network: string | undefined
}

/** Takes note of a request that was not admitted; `request` where its key was looked at. */
export type NoteRefusal = (reason: Refusal['refused'], request?: RefusedRequest) => void

/** Reasons that are about a key, of which the log has a line. Denials have their own. */
const aboutKeys: ReadonlySet<Refusal['refused']> = new Set<Refusal['refused']>([
  'no_key',
  'unknown_key',
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
  return (reason, request) => {
    metrics.admissionRefusals(reason).add()
    if (request === undefined || !aboutKeys.has(reason)) return
    log.repeats.warn(['key', reason], { ...request, reason }, 'a key was refused')
  }
}
