import type { Plan as Limits } from '@wayleave/metering'
import { oneOf, optional, type Schema } from '@wayleave/jsonrpc-core/schema'
import type { PlanRecord } from '../ports.ts'
import { exact, id, name, time } from './fields.ts'
import { limits } from './limits.ts'
import { type Page, pageOf } from './page.ts'

/** The keeper of a record; those of the configuration are read-only. */
export type Source = 'config' | 'store'

export const source: Schema<Source> = oneOf('config', 'store')

/** Limits that any number of projects and keys have. */
export interface Plan {
  readonly id: string
  readonly name: string
  readonly limits: Limits
  readonly source: Source
  /** Unix time in ms, as all times here; absent for the configuration. */
  readonly createdAt?: number
}

/** The plan to put. */
export interface PlanFields {
  /** Default: the id. */
  readonly name?: string
  readonly limits: Limits
}

export const plan: Schema<Plan> = exact<Plan>('a plan', { id, name, limits, source, createdAt: optional(time) })
export const planPage: Schema<Page<Plan>> = pageOf('a page of plans', plan)
export const planFields: Schema<PlanFields> = exact<PlanFields>('{ name?, limits }', { name: optional(name), limits })

export function viewPlan(record: Omit<PlanRecord, 'createdAt'> & { readonly createdAt?: number }, from: Source): Plan {
  const { id: own, name: title, limits: chosen, createdAt } = record
  return { id: own, name: title, limits: chosen, source: from, ...(createdAt !== undefined && { createdAt }) }
}
