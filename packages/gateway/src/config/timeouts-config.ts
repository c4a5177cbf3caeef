import { optional, record, type Schema, shown } from '@wayleave/jsonrpc-core/schema'
import { type Duration, duration } from './duration.ts'
import { exact, methodPattern } from './schema-parts.ts'

/** Longest waits for answers to begin, in place of `limits.requestTimeoutMs`: shorter or longer. */
export interface TimeoutsConfig {
  /** The wait of methods that are not named. */
  readonly default?: Duration
  /** By method: names, or prefixes such as `debug_*`, in any case. */
  readonly byMethod?: Readonly<Record<string, Duration>>
}

export const timeouts: Schema<TimeoutsConfig> = exact<TimeoutsConfig>('{ default?, byMethod? }', {
  default: optional(shown(duration)),
  byMethod: optional(record(shown(duration), methodPattern)),
})
