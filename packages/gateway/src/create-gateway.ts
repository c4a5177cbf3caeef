import type { IncomingMessage, RequestListener } from 'node:http'
import type { Duplex } from 'node:stream'
import {
  createFetchListener,
  createHttpMount,
  type CreateListener,
  type FetchListener,
  type HttpMount,
} from '@wayleave/http-server'
import type { Config } from './config/config.ts'
import { openGateway } from './gateway.ts'
import type { GatewayOptions } from './gateway-options.ts'
import type { RunningGateway } from './running-gateway.ts'

/** The options of a gateway that other servers serve. */
export interface CreateGatewayOptions extends Pick<
  GatewayOptions,
  'rollupNodes' | 'absentNetworks' | 'reread' | 'readConfig' | 'log' | 'about' | 'surroundings'
> {
  /**
   * The path below which the gateway is, such as `/rpc`: it is taken off where a URL begins with it, since some servers take it off
   * themselves. No network may have its name. Default: none.
   */
  readonly basePath?: `/${string}`
}

/** A gateway without listeners of its own: other servers hand their requests over. */
export interface MountedGateway extends Pick<
  RunningGateway,
  'networks' | 'chainSources' | 'perProcess' | 'reload' | 'drain' | 'close'
> {
  /** Serves JSON-RPC, events, gas and IPFS to Hono, Next, Bun, Deno and other servers that speak in `Request` and `Response`. */
  readonly fetch: FetchListener
  /** The same to Express, Fastify and other servers over `node:http`, in front of their parsers of bodies. */
  readonly nodeListener: RequestListener
  /** Serves WebSocket connections of a server of `node:http`: `server.on('upgrade', gateway.upgrade)`. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, firstBytes: Buffer) => void
  /** Serves operators what `listen.admin` serves: health, status, metrics, reload. Give it an address that callers do not reach. */
  readonly adminListener: RequestListener
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Opens a gateway that listens nowhere: `listen` counts for nothing but `compress`, and bounds of connections are those of the server that
 * has them. @throws ConfigError, as `startGateway`. Nothing stays open then.
 */
export async function createGateway(config: Config, options: CreateGatewayOptions = {}): Promise<MountedGateway> {
  const mounts: { rpc?: HttpMount; ipfs?: HttpMount; admin?: HttpMount } = {}
  const mountAt =
    (place: keyof typeof mounts): CreateListener =>
    (listener) =>
      (mounts[place] = createHttpMount(listener))
  const { basePath, ...rest } = options
  const gateway = await openGateway(config, rest, mountAt)
  const { rpc, ipfs, admin } = mounts as Required<Pick<typeof mounts, 'rpc' | 'admin'>> & Pick<typeof mounts, 'ipfs'>
  const below = pathBelow(basePath)

  const nodeListener: RequestListener = (request, response) => {
    const url = (request.url = below(request.url ?? '/'))
    const mount = url.startsWith(ipfsPath) ? (ipfs ?? rpc) : rpc
    mount.serve(request, response)
  }
  return {
    fetch: createFetchListener(nodeListener),
    nodeListener,
    upgrade(request, socket, firstBytes) {
      request.url = below(request.url ?? '/')
      rpc.upgrade(request, socket, firstBytes)
    },
    adminListener: admin.serve,
    get networks() {
      return gateway.networks
    },
    get chainSources() {
      return gateway.chainSources
    },
    perProcess: gateway.perProcess,
    reload: gateway.reload,
    drain: gateway.drain,
    close: gateway.close,
    [Symbol.asyncDispose]: gateway.close,
  }
}

/** The path of the IPFS API, which has a listener of its own elsewhere: no version of JSON-RPC is called so. */
const ipfsPath = '/api/v0/'

/** Makes the function that takes a base path off a URL. */
function pathBelow(basePath: string | undefined): (url: string) => string {
  const base = basePath?.replace(/\/+$/, '') ?? ''
  if (base === '') return (url) => url
  return (url) => {
    const rest = url.startsWith(base) ? url.slice(base.length) : undefined
    if (rest === '' || rest?.startsWith('?')) return `/${rest}`
    return rest?.startsWith('/') ? rest : url
  }
}
