import { integer, optional, type Schema, shown } from '@wayleave/jsonrpc-core/schema'
import { exact, milliseconds } from './schema-parts.ts'

/** The end of a gateway; times in ms. */
export interface ShutdownConfig {
  /**
   * How long everything is still served after `SIGTERM`, while `/readyz` is 503 already: balancers go on sending for some seconds. Default:
   * 12,000 with `redis`, since there are other replicas then, else 0.
   */
  readonly delayMs?: number
  /** How long calls in flight may take to finish after that. Default 10,000. */
  readonly graceMs?: number
}

export const shutdown: Schema<ShutdownConfig> = exact<ShutdownConfig>('an object of delayMs and graceMs', {
  delayMs: optional(shown(integer('a whole number of milliseconds, at most 24 days', 0, 2 ** 31 - 1))),
  graceMs: optional(shown(milliseconds)),
})

/** Ten seconds for which balancers go on sending, and two for their last connections. */
const replicaDelayMs = 12_000
const usualGraceMs = 10_000

/** Reads the times of the end of a gateway, in ms. */
export function shutdownOf(config: {
  readonly shutdown?: ShutdownConfig
  readonly redis?: unknown
}): Required<ShutdownConfig> {
  const { delayMs = config.redis === undefined ? 0 : replicaDelayMs, graceMs = usualGraceMs } = config.shutdown ?? {}
  return { delayMs, graceMs }
}
