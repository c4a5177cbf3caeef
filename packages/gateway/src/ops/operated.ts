import type { ProcessRecord } from '@wayleave/admin-api'
import type { Config } from '../config/config.ts'
import { gasPort } from '../gas/tell-gas.ts'
import { createReplayPort } from '../replay/replay-port.ts'
import type { GatewayOptions } from '../gateway-options.ts'
import type { GatewayHost } from '../host.ts'
import type { Operated, Snapshot } from '../snapshot.ts'
import type { Workers } from '../workers/workers.ts'
import { methodPort } from './method-port.ts'
import { streamPort } from './stream-port.ts'

/** The parts of a gateway as they are at the moment. */
export interface PresentParts extends Pick<Operated, 'rpc' | 'ipfs'> {
  /** Undefined: there are none. */
  readonly workers: () => Workers | undefined
  readonly present: () => Pick<Snapshot, 'gas' | 'chainIds' | 'config'>
}

/** Puts together what a gateway tells operators of itself. */
export function createOperated(
  {
    surroundings,
    traffic,
    live,
    metrics,
    store,
    recorder,
  }: Pick<GatewayHost, 'surroundings' | 'traffic' | 'live' | 'metrics' | 'store' | 'recorder'>,
  config: Pick<Config, 'ipfs'>,
  { console: page, about, readConfig }: Pick<GatewayOptions, 'console' | 'about' | 'readConfig'>,
  { rpc, ipfs, workers, present }: PresentParts,
): Operated {
  const version = about?.['version'] ?? ''
  const process = { process: surroundings.processName, startedAt: surroundings.startSeconds * 1_000, version }
  const list = (): readonly ProcessRecord[] => [{ ...process, workers: workers()?.serving }]
  const ports: Operated['ports'] = {
    traffic,
    calls: live,
    processes: { list },
    gas: gasPort(
      () => present().gas.sources,
      (question) => workers()?.gas(question),
    ),
    streams: streamPort({
      metrics,
      refresh: () => workers()?.refresh(),
      networks: () => Object.keys(present().chainIds),
    }),
    // A restart alone can change it.
    pins: config.ipfs === undefined ? undefined : store.pins,
    methods: methodPort(version),
    replay:
      readConfig &&
      createReplayPort({
        recorder,
        ofWorkers: () => workers()?.records(),
        present: () => present().config,
        readConfig,
        surroundings,
      }),
  }
  return { ports, files: page?.files, version, rpc, ipfs }
}
