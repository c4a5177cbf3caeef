import type { RpcHandler } from '@wayleave/jsonrpc-core'
import type { Log, LogOptions } from '@wayleave/telemetry'
import type { ReloadReport } from './config/config-diff.ts'
import type { StaticFiles } from './console/static-files.ts'
import type { Surroundings } from './surroundings.ts'
import type { ReadConfig } from './replay/replay-port.ts'
import type { WorkerLine } from './shared-state/worker-line.ts'

export interface GatewayOptions {
  /** Rollup nodes in this process, by network; they go before a configured URL. */
  readonly rollupNodes?: Readonly<Record<string, RpcHandler>>
  /** Why a network is missing that callers may ask for, by its name: they are told. */
  readonly absentNetworks?: Readonly<Record<string, string>>
  /** Reads the configuration again and has it served, for `POST /reload`. Default: it cannot be read again. */
  readonly reread?: () => Promise<ReloadReport>
  /** Reads the configuration again and has nothing served, for `POST /admin/v1/replay`. Default: it cannot be read again. */
  readonly readConfig?: ReadConfig
  /** Default: warnings and errors, on stderr. One that is given stays open when the gateway closes. */
  readonly log?: Log
  /** Further members of the log's first line, such as the version of the program and its configuration file. */
  readonly about?: Readonly<Record<string, string>>
  readonly surroundings?: Surroundings
  /**
   * How long connections of JSON-RPC that are idle may still bring a call once the gateway closes, in ms, so that none is lost that is on
   * its way. Default 0; that of workers is 250.
   */
  readonly lingerMs?: number
  /**
   * File descriptors of sockets that listen already, at the addresses of `listen`, such as those that a service manager keeps over restarts.
   * Not with several workers, which share their address otherwise. Default: the gateway listens there itself.
   */
  readonly sockets?: Readonly<Partial<Record<'rpc' | 'ipfs' | 'admin', number>>>
  /** Processes that serve JSON-RPC, events and gas in the place of this one. Default: none. */
  readonly workers?: WorkersRequest
  /** Whether this process has workers that another program starts and joins by `serveWorker`. Default: those of `workers`. */
  readonly hasWorkers?: boolean
  /** The line to the primary process, where this one is a worker: it serves JSON-RPC, events and gas alone. Default: this process is none. */
  readonly worker?: WorkerLine
  /** The web page of operators, served by the admin listener wherever there is an admin API. Default: none. */
  readonly console?: ConsoleOptions
}

/** The console and who may open it. */
export interface ConsoleOptions {
  /** `consoleFiles` of `@wayleave/console`. */
  readonly files: StaticFiles
  /** Whether it opens without a token, with every scope: only where `listen.admin` is a loopback address and no token is set. Default false. */
  readonly isOpen?: boolean
}

/** The processes that are to serve. */
export interface WorkersRequest {
  /** 1: this process serves by itself. More than one need Linux or FreeBSD, and a configuration without functions. */
  readonly count: number
  /** The level of their log, which goes to stderr. Default `warn`. */
  readonly logLevel?: LogOptions['level']
}
