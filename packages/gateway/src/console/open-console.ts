import type { AddressRange } from '@wayleave/auth'
import { splitAddress } from '@wayleave/http-server'
import type { PinnedConfig } from '../chains/pinned-config.ts'
import { type ConsoleFacts, createConsole, type ServeConsole, type ServeConsoleOptions } from './console.ts'
import type { StaticFiles } from './static-files.ts'

export interface OpenConsoleOptions {
  readonly config: PinnedConfig
  /** The page; undefined: there is none. */
  readonly files: StaticFiles | undefined
  readonly version: string
  readonly apis: ConsoleFacts['apis']
  /** `host:port` of JSON-RPC, bound. */
  readonly rpc: () => string
  readonly trustedProxies: readonly AddressRange[]
}

/** The parts of the process that the console is made with. */
export interface OpenConsoleParts extends Pick<ServeConsoleOptions, 'operators' | 'log'> {
  readonly surroundings: { readonly processName: string }
}

/** Makes the server of the console for a configuration; undefined where there is no page, or none is wanted. */
export function openConsole(
  { operators, surroundings, log }: OpenConsoleParts,
  { config, files, version, apis, rpc, trustedProxies }: OpenConsoleOptions,
): ServeConsole | undefined {
  const { console: isWanted = true, publicRpc } = config.admin ?? {}
  if (files === undefined || !isWanted) return undefined
  const s = config.listen?.tls === undefined ? '' : 's'
  const networks = Object.entries(config.networks).map(([name, { kind, chainId }]) => ({ name, kind, chainId }))
  return createConsole({
    files,
    operators,
    facts: { version, process: surroundings.processName, networks, apis },
    rpcOf: (hostname) => publicRpc ?? `http${s}://${hostname}:${splitAddress(rpc()).port}`,
    trustedProxies,
    log,
  })
}
