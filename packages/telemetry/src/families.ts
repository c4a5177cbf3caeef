import type { Counter, Gauge, Histogram, Registry } from './registry.ts'
import type { GaugeRule } from './series-mirror.ts'

/** A metric as a row of a table. Name and labels stand together, as in `answers_total{network,status}`. `buckets`: a name in the table of bounds. */
export type FamilyRow<Bounds extends string = string> = { readonly help: string } & (
  | { readonly counter: string }
  | { readonly gauge: string; readonly across: GaugeRule }
  | { readonly histogram: string; readonly buckets: Bounds }
)

type Split<L extends string> = L extends `${string},${infer Rest}` ? [string, ...Split<Rest>] : [string]
type LabelsOf<Series> = Series extends `${string}{${infer L}}` ? (L extends '' ? [] : Split<L>) : []
type FamilyOf<R> = R extends { counter: infer Series }
  ? (...labels: LabelsOf<Series>) => Counter
  : R extends { gauge: infer Series }
    ? (...labels: LabelsOf<Series>) => Gauge
    : R extends { histogram: infer Series }
      ? (...labels: LabelsOf<Series>) => Histogram
      : never

/** The families of a table, each of which finds a series by its label values. A caller that counts often keeps the series. */
export type FamiliesOf<Table> = { readonly [Name in keyof Table]: FamilyOf<Table[Name]> }

/** Registers the families of a table, in its order. `buckets`: upper bounds in seconds, rising, by the names that histograms give. */
export function createFamilies<Bounds extends string, const Table extends Readonly<Record<string, FamilyRow<Bounds>>>>(
  registry: Registry,
  table: Table,
  buckets: Readonly<Record<Bounds, readonly number[]>>,
): FamiliesOf<Table> {
  const families = Object.entries(table).map(([key, row]) => [key, createFamily(registry, row, buckets)] as const)
  return Object.fromEntries(families) as unknown as FamiliesOf<Table>
}

function createFamily(
  registry: Registry,
  row: FamilyRow,
  buckets: Readonly<Record<string, readonly number[]>>,
): unknown {
  const { help } = row
  if ('counter' in row) return registry.counter({ ...nameOf(row.counter), help })
  if ('gauge' in row) return registry.gauge({ ...nameOf(row.gauge), help, across: row.across })
  return registry.histogram({ ...nameOf(row.histogram), help, buckets: buckets[row.buckets]! })
}

function nameOf(series: string): { readonly name: string; readonly labels: readonly string[] } {
  const [name, labels] = series.split(/[{}]/)
  return { name: name!, labels: labels ? labels.split(',') : [] }
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
