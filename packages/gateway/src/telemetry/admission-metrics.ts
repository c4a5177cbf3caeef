import type { Refusal } from '../refusal.ts'
import type { Registry } from './registry.ts'

/** The counts of admission. */
export interface AdmissionMetrics {
  /** Counts a request or a connection that was not admitted, by its reason, of which there are no more than names in {@link Refusal}. */
  notAdmitted(reason: Refusal['refused']): void
}

/** Creates the metrics of admission. */
export function createAdmissionMetrics(registry: Registry): AdmissionMetrics {
  const refusals = registry.counter({
    name: 'wayleave_admission_refusals_total',
    help: 'Requests and connections that were not admitted, by the reason, such as unknown_key, denied or unknown_network',
    labels: ['reason'],
  })
  return { notAdmitted: (reason) => refusals(reason).add() }
}
