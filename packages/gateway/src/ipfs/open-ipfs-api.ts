import type { Server } from 'node:http'
import type { PinLedger } from '@wayleave/ipfs-http/server'
import type { Config, IpfsConfig } from '../config/config.ts'
import type { TlsMaterial } from '../config/tls-files.ts'
import { createServer } from '../listeners/create-server.ts'
import { createIpfsApiListener } from '../listeners/ipfs-listener.ts'
import type { Metrics } from '../metrics.ts'
import type { Serving } from '../serving.ts'
import { createIpfsService, type IpfsService } from './ipfs-service.ts'

export interface IpfsApiOptions {
  readonly config: Config & { readonly ipfs: IpfsConfig }
  readonly ledger: PinLedger
  readonly tls: TlsMaterial | undefined
  /** For the head of a request, in ms. */
  readonly headersTimeoutMs: number
  readonly maxConnections: number
  readonly metrics: Metrics
  readonly serving: Pick<Serving, 'authenticate' | 'onlyLocal' | 'clock' | 'newTraceId' | 'refused' | 'log'>
}

/** The IPFS API with its server, which does not listen yet. */
export interface IpfsApi extends Pick<IpfsService, 'probe' | 'close'> {
  readonly server: Server
}

/** Longest heads of a request together, in bytes. */
const longestHead = 16_384
/** Of one connection, which is then made anew. */
const mostRequests = 1_000

/** @throws ConfigError where the backend cannot be opened */
export async function openIpfsApi(options: IpfsApiOptions): Promise<IpfsApi> {
  const { config, ledger, tls, headersTimeoutMs, maxConnections, metrics, serving } = options
  const { clock, log } = serving
  const { ipfs, dataDir, projects = [] } = config
  const service = await createIpfsService({ config: ipfs, dataDir, ledger, projects, clock, log })
  const server = createServer(
    {
      // An upload may take as long as it takes; the listener cuts those that stall.
      requestTimeout: 0,
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: Math.min(5_000, headersTimeoutMs / 4),
      keepAliveTimeout: 65_000,
      maxHeaderSize: longestHead,
    },
    tls,
    createIpfsApiListener({ ...serving, ipfs: service, ipfsAnswered: metrics.ipfsAnswered }),
  )
  server.maxConnections = maxConnections
  // Requests that come without waiting for answers are all begun at once.
  server.maxRequestsPerSocket = mostRequests
  server.on('drop', metrics.dropped)
  return { server, probe: service.probe, close: service.close }
}
