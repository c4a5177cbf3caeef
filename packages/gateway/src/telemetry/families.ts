import { createFamilies, type FamiliesOf, type Registry } from '@wayleave/telemetry'
import { networkFamilies } from './network-families.ts'
import { processFamilies } from './process-families.ts'

/** Upper bounds of buckets, in seconds. */
const buckets = {
  /** From an answer in memory, or of a node beside the gateway, to the longest wait. */
  answer: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  collection: [0.001, 0.01, 0.1, 1, 2, 5],
  /** Fewer than for a network, as there are many projects. */
  project: [0.01, 0.05, 0.25, 1, 5],
  queue: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 5],
} satisfies Readonly<Record<string, readonly number[]>>

/** The upper bounds of the times to an answer, in seconds. */
export const answerSeconds: readonly number[] = buckets.answer

const tables = { ...networkFamilies, ...processFamilies }

/** The families of both tables. */
export type MetricFamilies = FamiliesOf<typeof tables>

/** Registers all families in the order of their tables. */
export function createMetricFamilies(registry: Registry): MetricFamilies {
  return createFamilies(registry, tables, buckets)
}
