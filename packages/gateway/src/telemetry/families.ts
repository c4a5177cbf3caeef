import { networkFamilies } from './network-families.ts'
import { processFamilies } from './process-families.ts'
import type { Counter, Gauge, Histogram, Registry } from './registry.ts'
import type { GaugeRule } from './series-mirror.ts'

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

/** A metric as its row tells it. Name and labels stand together, as in `wayleave_answers_total{network,status}`. */
type Row = { readonly help: string } & (
  | { readonly counter: string }
  | { readonly gauge: string; readonly across: GaugeRule }
  | { readonly histogram: string; readonly buckets: keyof typeof buckets }
)

type Split<L extends string> = L extends `${string},${infer Rest}` ? [string, ...Split<Rest>] : [string]
type LabelsOf<Series> = Series extends `${string}{${infer L}}` ? Split<L> : []
type FamilyOf<R> = R extends { counter: infer Series }
  ? (...labels: LabelsOf<Series>) => Counter
  : R extends { gauge: infer Series }
    ? (...labels: LabelsOf<Series>) => Gauge
    : R extends { histogram: infer Series }
      ? (...labels: LabelsOf<Series>) => Histogram
      : never

type FamiliesOf<Table> = { readonly [Name in keyof Table]: FamilyOf<Table[Name]> }

/** The families of both tables, each of which finds a series by its label values. A caller that counts often keeps the series. */
export type MetricFamilies = FamiliesOf<typeof networkFamilies> & FamiliesOf<typeof processFamilies>

/** Registers all families in the order of their tables. */
export function createFamilies(registry: Registry): MetricFamilies {
  const rows: Readonly<Record<string, Row>> = { ...networkFamilies, ...processFamilies }
  const families = Object.entries(rows).map(([key, row]) => [key, createFamily(registry, row)] as const)
  return Object.fromEntries(families) as unknown as MetricFamilies
}

function createFamily(registry: Registry, row: Row): unknown {
  const { help } = row
  if ('counter' in row) return registry.counter({ ...nameOf(row.counter), help })
  if ('gauge' in row) return registry.gauge({ ...nameOf(row.gauge), help, across: row.across })
  return registry.histogram({ ...nameOf(row.histogram), help, buckets: buckets[row.buckets] })
}

function nameOf(series: string): { readonly name: string; readonly labels: readonly string[] } {
  const [name, labels] = series.split(/[{}]/)
  return { name: name!, labels: labels?.split(',') ?? [] }
}

/** Adds to `counter`, before each print, by what a total has grown that is counted elsewhere. */
export function follow(registry: Registry, counter: Counter, total: () => number): void {
  let counted = 0
  registry.beforePrint(() => {
    const now = total()
    counter.add(now - counted)
    counted = now
  })
}
