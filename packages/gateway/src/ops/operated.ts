import type { ProcessRecord } from '@wayleave/admin-api'
import type { GatewayOptions } from '../gateway-options.ts'
import type { GatewayHost } from '../host.ts'
import type { Operated } from '../snapshot.ts'

/** Puts together what a gateway tells operators of itself. `workers`: those that serve; undefined: there are none. */
export function createOperated(
  { surroundings, traffic, live }: Pick<GatewayHost, 'surroundings' | 'traffic' | 'live'>,
  { console: page, about }: Pick<GatewayOptions, 'console' | 'about'>,
  { rpc, workers }: Pick<Operated, 'rpc'> & { readonly workers: () => number | undefined },
): Operated {
  const version = about?.['version'] ?? ''
  const process = { process: surroundings.processName, startedAt: surroundings.startSeconds * 1_000, version }
  const list = (): readonly ProcessRecord[] => [{ ...process, workers: workers() }]
  return { ports: { traffic, calls: live, processes: { list } }, files: page?.files, version, rpc }
}
