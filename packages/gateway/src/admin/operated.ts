import type { GatewayPorts, ProcessRecord } from '@wayleave/admin-api'
import type { Config } from '../config/config.ts'
import type { OpenConsoleOptions } from '../console/open-console.ts'
import type { GasService } from '../gas/service.ts'
import { gasPort, type GasQuestion, type ReportedGas } from '../gas/report-gas.ts'
import { createReplayPort } from '../replay/replay-port.ts'
import type { RecordedCall } from '../trace/recorded-call.ts'
import type { GatewayOptions } from '../gateway-options.ts'
import type { GatewayHost } from '../host.ts'
import type { OperatorApiOptions } from './operator-api.ts'
import { methodPort } from './method-port.ts'
import { streamPort } from './stream-port.ts'

/** The parts of the operator's API and of the console that no configuration changes. */
export interface Operated extends Pick<OpenConsoleOptions, 'files' | 'version' | 'rpc'> {
  /** The ports through which the gateway reports on itself. */
  readonly ports: Omit<GatewayPorts, 'networks'>
  readonly ipfs: OperatorApiOptions['ipfs']
}

/** The parts of a gateway as they are at the moment. */
export interface PresentParts extends Pick<Operated, 'rpc' | 'ipfs'> {
  /** Undefined: there are none. */
  readonly workers: () => AskedWorkers | undefined
  readonly present: () => {
    readonly gas: Pick<GasService, 'sources'>
    readonly chainIds: Readonly<Record<string, number | string>>
    readonly config: Config
  }
}

/** Workers, as operators ask them. */
export interface AskedWorkers {
  /** How many of them serve. */
  readonly serving: number
  gas(question: GasQuestion): Promise<readonly (readonly ReportedGas[] | undefined)[]>
  /** Brings the counts of all up to date. */
  refresh(): Promise<void>
  records(): Promise<readonly (readonly RecordedCall[] | undefined)[]>
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
    // Operators are listened to once all is open.
    verification: config.ipfs && {
      start: () => ipfs()!.verification.start(),
      state: () => ipfs()!.verification.state(),
    },
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
