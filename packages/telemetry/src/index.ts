export { createFamilies, follow, type FamiliesOf, type FamilyRow } from './families.ts'
export { createLog, errorClass, type Log, type LogOptions, shortened } from './log.ts'
export { createLogRepeats, type LogRepeats, type LogRepeatsOptions } from './log-repeats.ts'
export { quantile } from './quantile.ts'
export {
  type Counter,
  createRegistry,
  type Family,
  type Gauge,
  type GaugeOptions,
  type Histogram,
  type HistogramOptions,
  type MetricFamily,
  type MetricOptions,
  metricsContentType,
  type ReadSeries,
  type Registry,
} from './registry.ts'
export {
  createSeriesMirror,
  type FamilyChange,
  type GaugeRule,
  type SeriesMirror,
  type SeriesValue,
} from './series-mirror.ts'
