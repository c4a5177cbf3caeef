import type { DenialReason } from '@wayleave/auth'
import { type Log, shortened } from '@wayleave/telemetry'
import type { Metrics } from './telemetry/metrics.ts'
import type { Principal } from './principal.ts'

/** A request or a call that the settings of its project do not allow. */
export interface Denial {
  readonly reason: DenialReason
  readonly principal: Principal
  readonly traceId: string
  readonly network?: string | undefined
  /** Present for a single call. */
  readonly method?: string
}

/** Takes note of a denial, whose reason the caller is not told. */
export type NoteDenial = (denial: Denial) => void

/** Creates a {@link NoteDenial} that counts denials and logs them. */
export function createDenials({ log, metrics }: { readonly log: Log; readonly metrics: Metrics }): NoteDenial {
  return ({ reason, principal, traceId, network, method }) => {
    metrics.denials(reason).add()
    const { project, keyId } = principal
    const fields = { traceId, project: project.id, key: keyId, network, reason, method: method && shortened(method) }
    log.repeats.warn(['denied', project.id, reason], fields, 'the settings of a project do not allow this')
  }
}
