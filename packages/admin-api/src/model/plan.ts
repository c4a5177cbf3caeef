import { type GivenPlan, planFields as fields } from '@wayleave/auth'
import type { Plan as Limits } from '@wayleave/metering'
import { oneOf, optional, type Schema } from '@wayleave/jsonrpc-core/schema'
import { exact, name } from './fields.ts'
import { limits } from './limits.ts'
import { type Page, pageOf } from './page.ts'
import { shownShape } from './record-shape.ts'
import { behind, type Shown, viewRecord } from './record-view.ts'

/** The keeper of a record; those of the configuration are read-only. */
export type Source = 'config' | 'store'

export const source: Schema<Source> = oneOf('config', 'store')

/** Limits that any number of projects and keys have. Times are Unix times in ms, as all here. */
export interface Plan extends Shown<typeof fields> {
  readonly source: Source
}

/** The plan to put. */
export interface PlanFields {
  /** Default: the id. */
  readonly name?: string
  readonly limits: Limits
}

export const plan: Schema<Plan> = exact<Plan>('a plan', behind('limits', shownShape(fields, {}), { source }))
export const planPage: Schema<Page<Plan>> = pageOf('a page of plans', plan)
export const planFields: Schema<PlanFields> = exact<PlanFields>('{ name?, limits }', { name: optional(name), limits })

/** Views a plan of either source. */
export function viewPlan(kept: GivenPlan<Limits>, from: Source): Plan {
  return behind('limits', viewRecord(fields, kept), { source: from })
}
