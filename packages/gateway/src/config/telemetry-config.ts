import { integer, oneOf, optional, type Schema, shown } from '@wayleave/jsonrpc-core/schema'
import { exact, numberThat } from './schema-parts.ts'

/** The log, on stderr. */
export interface LogConfig {
  /** The least level of lines. Default `info`, and `warn` for a gateway in another program. */
  readonly level?: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** A JSON object a line, or text for people. Default `json`. */
  readonly format?: 'json' | 'text'
  readonly access?: AccessLogConfig
}

/** Lines of single calls, at level `info`. */
export interface AccessLogConfig {
  /** The part of all calls that get a line, drawn by chance: from 0, none, to 1, all. Default 0. */
  readonly sample?: number
}

export interface MetricsConfig {
  /** Most projects beside those of `projects` whose metrics are told apart; the first that call. Default 100. */
  readonly maxProjects?: number
}

const part = numberThat('a number from 0 to 1', (value) => value >= 0 && value <= 1, { minimum: 0, maximum: 1 })

export const log: Schema<LogConfig> = exact<LogConfig>('{ level?, format?, access? }', {
  level: optional(shown(oneOf('debug', 'info', 'warn', 'error', 'silent'))),
  format: optional(shown(oneOf('json', 'text'))),
  access: optional(exact<AccessLogConfig>('{ sample? }', { sample: optional(shown(part)) })),
})

export const metrics: Schema<MetricsConfig> = exact<MetricsConfig>('{ maxProjects? }', {
  maxProjects: optional(shown(integer('a whole number of projects from 0 to 10,000', 0, 10_000))),
})
