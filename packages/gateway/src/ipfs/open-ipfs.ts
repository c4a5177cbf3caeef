import type { PinLedger } from '@wayleave/ipfs-http/server'
import type { CreateListener, HttpListenerOptions } from '@wayleave/http-server'
import type { Config } from '../config/config.ts'
import type { ListenerOptions } from '../listener-options.ts'
import type { OpenIpfsApi } from './listener.ts'
import type { IpfsServiceOptions } from './service.ts'

/** Tells, for the start line, how many gateways may serve IPFS over one database. */
export const sharingOf = { local: 'local: one process', kubo: 'kubo: any number of gateways' } as const

/** Opens the IPFS API, if it is configured; its code loads only here. */
export async function openIpfs(
  { ipfs: config, dataDir }: Config,
  projects: IpfsServiceOptions['projects'],
  ledger: PinLedger | undefined,
  options: ListenerOptions &
    Pick<HttpListenerOptions, 'address' | 'socket'> &
    Pick<IpfsServiceOptions, 'collectEveryMs'> & { readonly createListener: CreateListener },
): Promise<OpenIpfsApi | undefined> {
  // A gateway refuses to start without a store of pins beside it.
  if (config === undefined || ledger === undefined) return undefined
  const { openIpfsApi } = await import('./listener.ts')
  const { guardPinLedger } = await import('./guard-pin-ledger.ts')
  return openIpfsApi({ ...options, config, dataDir, projects, ledger: guardPinLedger(ledger) })
}
