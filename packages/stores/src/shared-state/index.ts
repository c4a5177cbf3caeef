export { type Cordon, type Cordons, createCordons } from './cordons.ts'
export { type Counters, createCounters, createMemoryPort } from './memory-port.ts'
export { createNumberCopy, type NumberCopy } from './number-copy.ts'
export { createRuns, type Runs } from './runs.ts'
export type {
  HeldNumber,
  NumbersOptions,
  OwnCount,
  SharedNumber,
  SharedNumbers,
  SharedPort,
  TotalCount,
} from './shared-port.ts'
export { createSharedSpend, type SharedSpend, type SpendPeriod } from './shared-spend.ts'
export { createSharedStores, type SharedStores } from './shared-stores.ts'
export { createSharedUses, type SharedUses } from './shared-uses.ts'
export { createSharedView, type HeadSource, nonceForMs, type SharedView } from './shared-view.ts'
