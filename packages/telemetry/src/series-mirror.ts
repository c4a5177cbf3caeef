/** The value of a series: a number, or of a histogram the count of each bucket alone and the sum of all values. */
export type SeriesValue = number | { readonly counts: readonly number[]; readonly sum: number }

/** The series of one family that have changed in another process. */
export interface FamilyChange {
  readonly name: string
  readonly isGauge: boolean
  readonly labels: readonly string[]
  /** By their label values, joined by a zero. */
  readonly changed: readonly (readonly [key: string, value: SeriesValue])[]
  readonly gone: readonly string[]
}

/**
 * How a gauge of several processes is read: `sum` of what each has; `max` or `min` of what each sees of the same thing. Values that nobody
 * knows (NaN) are left out.
 */
export type GaugeRule = 'sum' | 'max' | 'min'

/** The series of another process as they were told last. */
export interface SeriesMirror {
  of(family: string): ReadonlyMap<string, SeriesValue> | undefined
  apply(changes: readonly FamilyChange[]): void
  /** Adds what another mirror has counted, without its gauges: its process has ended. */
  adopt(ended: SeriesMirror): void
  /** Drops the series of which a label has this value. */
  forget(label: string, value: string): void
  families(): Iterable<MirroredFamily>
}

interface MirroredFamily {
  readonly name: string
  readonly isGauge: boolean
  readonly labels: readonly string[]
  readonly series: Map<string, SeriesValue>
}

/** Creates the mirror of a process that has counted nothing yet. */
export function createSeriesMirror(): SeriesMirror {
  const families = new Map<string, MirroredFamily>()

  function familyOf({ name, isGauge, labels }: Omit<MirroredFamily, 'series'>): MirroredFamily {
    let family = families.get(name)
    if (family === undefined) families.set(name, (family = { name, isGauge, labels, series: new Map() }))
    return family
  }

  return {
    of: (name) => families.get(name)?.series,
    families: () => families.values(),
    apply(changes) {
      for (const change of changes) {
        const { series } = familyOf(change)
        for (const [key, value] of change.changed) series.set(key, value)
        for (const key of change.gone) series.delete(key)
      }
    },
    adopt(ended) {
      for (const family of ended.families()) {
        if (family.isGauge) continue
        const { series } = familyOf(family)
        for (const [key, value] of family.series) {
          const known = series.get(key)
          series.set(key, known === undefined ? value : combine('sum', [known, value]))
        }
      }
    },
    forget(label, value) {
      for (const { labels, series } of families.values()) {
        const place = labels.indexOf(label)
        for (const key of series.keys()) if (place >= 0 && key.split('\0')[place] === value) series.delete(key)
      }
    },
  }
}

/** Makes one value of those that several processes have for a series; there is at least one. */
export function combine(rule: GaugeRule, values: readonly SeriesValue[]): SeriesValue {
  const first = values[0]!
  if (typeof first === 'object') {
    const all = values as readonly Exclude<SeriesValue, number>[]
    const counts = first.counts.map((_, i) => all.reduce((sum, each) => sum + (each.counts[i] ?? 0), 0))
    return { counts, sum: all.reduce((sum, each) => sum + each.sum, 0) }
  }
  const known = (values as readonly number[]).filter((value) => !Number.isNaN(value))
  if (known.length === 0) return Number.NaN
  if (rule === 'sum') return known.reduce((sum, value) => sum + value, 0)
  return rule === 'max' ? Math.max(...known) : Math.min(...known)
}
