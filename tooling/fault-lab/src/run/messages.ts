import type { Plan } from '../plan.ts'
import type { Report } from './report.ts'

/** A run that a worker is asked for. */
export interface Job {
  readonly plan: Plan
}

/** A worker's answer: the outcome of a run, or the reason why it could not run. */
export type JobResult = { readonly report: Report } | { readonly failure: string }
