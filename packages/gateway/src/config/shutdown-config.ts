import { integer, shown, type TypeOf } from '@wayleave/jsonrpc-core/schema'
import { defaultsOf, exact, milliseconds, setting } from '@wayleave/network/config'

const members = {
  delayMs: setting(
    shown(integer('a whole number of milliseconds, at most 24 days', 0, 2 ** 31 - 1)),
    'How long everything is still served after `SIGTERM`, while `/readyz` is 503 already: balancers go on sending for some seconds. Default: 12,000 with `redis`, since there are other replicas then, else 0.',
  ),
  graceMs: setting(shown(milliseconds), 'How long calls in flight may take to finish after that.', 10_000),
}

export const shutdown = exact('an object of delayMs and graceMs', members)

/** The end of a gateway; times in ms. */
export type ShutdownConfig = TypeOf<typeof shutdown>

/** Ten seconds for which balancers go on sending, and two for their last connections. */
const replicaDelayMs = 12_000

/** Reads the times of the end of a gateway, in ms. */
export function shutdownOf(config: {
  readonly shutdown?: ShutdownConfig
  readonly redis?: unknown
}): Required<ShutdownConfig> {
  const { delayMs = config.redis === undefined ? 0 : replicaDelayMs } = config.shutdown ?? {}
  const { graceMs = defaultsOf(members).graceMs } = config.shutdown ?? {}
  return { delayMs, graceMs }
}
