import { combine, type FamilyChange, type GaugeRule, type SeriesMirror, type SeriesValue } from './series-mirror.ts'

/** A number that only grows. */
export interface Counter {
  add(by?: number): void
}

/** A number that goes up and down. */
export interface Gauge {
  set(value: number): void
  add(by: number): void
}

/** A distribution over fixed buckets; it leaves out values that are not finite. */
export interface Histogram {
  observe(value: number): void
}

/** The series of one metric: one for each combination of label values, which are given in the order of its labels. */
export type Family<T> = (...labelValues: readonly string[]) => T

export interface MetricOptions {
  /** `wayleave_answers_total`. */
  readonly name: string
  readonly help: string
  readonly labels?: readonly string[]
}

export interface GaugeOptions extends MetricOptions {
  /** How the values of several processes become one. */
  readonly across: GaugeRule
}

export interface HistogramOptions extends MetricOptions {
  /** Upper bounds of the buckets, rising; one for everything above them is added. */
  readonly buckets: readonly number[]
}

/** A family, as its reference tells it. */
export interface MetricFamily extends Required<GaugeOptions> {
  readonly type: 'counter' | 'gauge' | 'histogram'
}

/**
 * Metrics as plain numbers, printed in the text format of Prometheus. A family finds its series by one look-up; a caller that counts
 * often keeps the series itself, which costs no more than an addition.
 */
export interface Registry {
  counter(options: MetricOptions): Family<Counter>
  gauge(options: GaugeOptions): Family<Gauge>
  histogram(options: HistogramOptions): Family<Histogram>
  /** Calls `collect` before each print, to set gauges whose values are made when they are read. */
  beforePrint(collect: () => void): void
  /** Drops the series of which a label has this value. What counts on in one that was dropped is not printed. */
  forget(label: string, value: string): void
  /** Every family that was made, in the order of the print. */
  families(): readonly MetricFamily[]
  /** Prints what other processes count from now on, too, each time as it is known then. */
  watchOthers(others: () => readonly SeriesMirror[]): void
  /** Returns what has changed since it was asked last, for the mirror of another process. */
  changes(): readonly FamilyChange[]
  /** Returns the series of a family by their label values, those of all processes as one. */
  read(name: string): readonly ReadSeries[]
  print(): string
}

/** A series as it stands: its label values in the order of the labels. */
export interface ReadSeries {
  readonly labels: readonly string[]
  readonly value: SeriesValue
}

/** The content type of {@link Registry.print}. Source: Prometheus, exposition formats. */
export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8'

/** A family as it is printed. */
interface Printed {
  readonly family: MetricFamily
  print(others: readonly SeriesMirror[]): string
  read(others: readonly SeriesMirror[]): ReadonlyMap<string, SeriesValue>
  forget(label: string, value: string): void
  changes(): FamilyChange | undefined
}

export function createRegistry(): Registry {
  const families: Printed[] = []
  const collectors: (() => void)[] = []
  let others: () => readonly SeriesMirror[] = () => []

  function register<T extends Series>(
    { name, help, labels = [], across = 'sum' }: MetricOptions & Partial<GaugeOptions>,
    type: MetricFamily['type'],
    create: (labels: string) => T,
  ): Family<T> {
    const series = new Map<string, T>()
    /** The values that were told last. */
    const reported = new Map<string, SeriesValue>()
    const printLabels = (values: readonly string[]): string =>
      labels.map((label, i) => `${label}="${escapeValue(values[i]!)}"`).join(',')

    /** Series of all processes, as they were printed last. */
    const printed = new Map<string, T>()

    /** Makes one series of those of all processes. */
    function readAll(mirrors: readonly SeriesMirror[]): ReadonlyMap<string, SeriesValue> {
      const theirs = mirrors.flatMap((mirror) => mirror.of(name) ?? [])
      const keys = new Set(series.keys())
      for (const values of theirs) for (const key of values.keys()) keys.add(key)
      const all = new Map<string, SeriesValue>()
      for (const key of keys) {
        const own = series.get(key)
        const values = own === undefined ? [] : [own.value]
        for (const each of theirs) {
          const value = each.get(key)
          if (value !== undefined) values.push(value)
        }
        all.set(key, combine(across, values))
      }
      return all
    }

    /** Prints the series of all processes. */
    function printAll(mirrors: readonly SeriesMirror[]): string {
      const all = readAll(mirrors)
      let text = ''
      for (const [key, value] of all) {
        let one = printed.get(key)
        if (one === undefined) {
          one = create(labels.length === 0 ? '' : printLabels(key.split('\0')))
          printed.set(key, one)
        }
        one.value = value
        text += one.print(name)
      }
      for (const key of printed.keys()) if (!all.has(key)) printed.delete(key)
      return text
    }

    families.push({
      family: { name, type, help, labels, across },
      print(mirrors) {
        let text = `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`
        if (mirrors.length > 0) return text + printAll(mirrors)
        for (const each of series.values()) text += each.print(name)
        return text
      },
      read: readAll,
      forget(label, value) {
        const place = labels.indexOf(label)
        for (const key of series.keys()) if (place >= 0 && key.split('\0')[place] === value) series.delete(key)
      },
      changes() {
        const changed = [...series].flatMap(([key, { value }]): [string, SeriesValue][] =>
          isSame(reported.get(key), value) ? [] : [[key, value]],
        )
        const gone = [...reported.keys()].filter((key) => !series.has(key))
        for (const [key, value] of changed) reported.set(key, value)
        for (const key of gone) reported.delete(key)
        if (changed.length === 0 && gone.length === 0) return undefined
        return { name, isGauge: type === 'gauge', labels, changed, gone }
      },
    })
    return (...values) => {
      const key = values.length === 1 ? values[0]! : values.join('\0')
      let found = series.get(key)
      if (found === undefined) {
        if (values.length !== labels.length)
          throw new TypeError(`${name} has ${labels.length} labels, not ${values.length}`)
        series.set(key, (found = create(printLabels(values))))
      }
      return found
    }
  }

  return {
    counter: (options) => register(options, 'counter', (labels) => new Value(labels)),
    gauge: (options) => register(options, 'gauge', (labels) => new Value(labels)),
    histogram: (options) => register(options, 'histogram', (labels) => new Buckets(labels, options.buckets)),
    beforePrint: (collect) => void collectors.push(collect),
    families: () => families.map(({ family }) => family),
    forget: (label, value) => families.forEach((family) => family.forget(label, value)),
    watchOthers: (read) => void (others = read),
    changes() {
      for (const collect of collectors) collect()
      return families.flatMap((family) => family.changes() ?? [])
    },
    read(name) {
      const all = families.find(({ family }) => family.name === name)?.read(others()) ?? new Map<string, SeriesValue>()
      return Array.from(all, ([key, value]) => ({ labels: key.split('\0'), value }))
    },
    print() {
      for (const collect of collectors) collect()
      const mirrors = others()
      return families.map((family) => family.print(mirrors)).join('\n')
    },
  }
}

interface Series {
  value: SeriesValue
  print(name: string): string
}

/** Counts only grow, so that a histogram whose total is the same is the same. */
function isSame(a: SeriesValue | undefined, b: SeriesValue): boolean {
  if (typeof a !== 'object' || typeof b !== 'object') return Object.is(a, b)
  return Object.is(a.sum, b.sum) && a.counts.every((count, i) => count === b.counts[i])
}

class Value implements Counter, Gauge, Series {
  readonly #labels: string
  #value = 0

  get value(): SeriesValue {
    return this.#value
  }

  set value(value: SeriesValue) {
    this.#value = value as number
  }

  constructor(labels: string) {
    this.#labels = labels === '' ? '' : `{${labels}}`
  }

  set(value: number): void {
    this.#value = value
  }

  add(by = 1): void {
    this.#value += by
  }

  print(name: string): string {
    return `${name}${this.#labels} ${printNumber(this.#value)}\n`
  }
}

class Buckets implements Histogram, Series {
  readonly #labels: string
  readonly #bounds: readonly number[]
  /** Values of each bucket alone, not of those below it; the last one has no bound. */
  #counts: number[]
  #sum = 0

  get value(): SeriesValue {
    return { counts: [...this.#counts], sum: this.#sum }
  }

  set value(value: SeriesValue) {
    const { counts, sum } = value as Exclude<SeriesValue, number>
    this.#counts = [...counts]
    this.#sum = sum
  }

  constructor(labels: string, bounds: readonly number[]) {
    this.#labels = labels
    this.#bounds = bounds
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0)
  }

  observe(value: number): void {
    if (!Number.isFinite(value)) return
    let i = 0
    while (i < this.#bounds.length && value > this.#bounds[i]!) i++
    this.#counts[i]!++
    this.#sum += value
  }

  print(name: string): string {
    const before = this.#labels === '' ? '' : `${this.#labels},`
    const own = this.#labels === '' ? '' : `{${this.#labels}}`
    let text = ''
    let below = 0
    for (const [i, count] of this.#counts.entries()) {
      below += count
      const bound = this.#bounds[i]
      text += `${name}_bucket{${before}le="${bound === undefined ? '+Inf' : printNumber(bound)}"} ${below}\n`
    }
    return `${text}${name}_sum${own} ${printNumber(this.#sum)}\n${name}_count${own} ${below}\n`
  }
}

function printNumber(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', String.raw`\\`).replaceAll('\n', String.raw`\n`)
}

function escapeValue(text: string): string {
  return escapeHelp(text).replaceAll('"', String.raw`\"`)
}
