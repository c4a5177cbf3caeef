import type { methodClassOf } from '@wayleave/network'
import type { AccessLog } from '../telemetry/access-log.ts'
import type { NetworkMetrics } from '../telemetry/metrics.ts'
import type { WatchCallsOptions } from './stages/watch-calls.ts'

export interface CountCallsOptions {
  readonly network: string
  readonly metrics: Pick<NetworkMetrics, 'called'>
  readonly classOf: ReturnType<typeof methodClassOf>
  /** Default: calls get no lines. */
  readonly access: Pick<AccessLog, 'takes' | 'write'> | undefined
}

/** Counts the calls of a network that have ended, and writes their lines. */
export function countCalls({ network, metrics, classOf, access }: CountCallsOptions): WatchCallsOptions['onCall'] {
  return (call) => {
    const { request, caller, failure, ms } = call
    const { method } = request
    const { traceId, principal } = caller
    const { outcome, status } = failure ?? succeeded
    metrics.called({ project: principal.project.id, class: classOf(method), outcome, status, ms })
    if (access?.takes() === true) {
      access.write({ ...call, method, class: classOf(method), network, traceId, principal })
    }
  }
}

const succeeded = { outcome: 'ok', status: 200 } as const
