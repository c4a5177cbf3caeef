import { createHostReader } from './host.ts'

/** JSON-RPC (Spec §4.1), or server-sent events of a network. `network` undefined: the default one. `key` undefined: none was given. */
export interface CallRoute {
  readonly kind: 'rpc' | 'ws' | 'events'
  readonly network: string | undefined
  readonly key: string | undefined
  /** The segment behind the key that names a version of the network's interface: `v0_8`. */
  readonly apiVersion?: string
}

/** The gas API (Spec §4.11). `key` undefined: the path holds none. */
export interface GasRoute {
  readonly kind: 'gas'
  readonly key: string | undefined
  /** The path without the key: `/networks/<chainId>/<endpoint>`, `/v1/supportedChainNames` or `/gasprices/blockprices`. */
  readonly path: string
}

/** A path that leads nowhere; `version` is set where only the version is unknown. */
export interface LostRoute {
  readonly kind: 'lost'
  readonly version?: string
}

/** The destination of a request, read from its path and host. */
export type Route = CallRoute | GasRoute | { readonly kind: 'healthz' | 'readyz' } | LostRoute

const lost: Route = { kind: 'lost' }

/** The form that a client sends to a proxy (RFC 9112 §3.2.2); its authority overrides `Host`. */
const absoluteForm = /^https?:\/\/([^/?#@]+)(.*)$/i

const chainNames = '/v1/supportedChainNames'
/** Blocknative's form of the suggestion. */
const blockPrices = '/gasprices/blockprices'

/** Makes the function that reads a request's route. `bareHosts`: hosts that mean no network by their first label. */
export function createRouteReader(
  networks: readonly string[],
  bareHosts: readonly string[],
): (url: string, host: string) => Route {
  const networkOfHost = createHostReader(new Set(networks), bareHosts)
  return (url, host) => parseRoute(url, host, networkOfHost)
}

/**
 * Reads `/v3/<key>` and `/ws/v3/<key>`, with `/<network>` before and `/rpc/<version>` behind them where they are given,
 * `/v3/<key>/events`, likewise behind `/<network>`, and the paths of the gas API, with and without `/v3/<key>` before them. The query is ignored. `networkOfHost` tells which network a host means, if any.
 */
export function parseRoute(url: string, host: string, networkOfHost: (host: string) => string | undefined): Route {
  if (!url.startsWith('/')) {
    const form = absoluteForm.exec(url)
    return form === null ? lost : parseRoute(form[2]!, form[1]!, networkOfHost)
  }
  const queryAt = url.indexOf('?')
  const path = queryAt < 0 ? url : url.slice(0, queryAt)
  const gasPath = withoutSlash(path)
  if (isGasPath(gasPath)) return { kind: 'gas', key: undefined, path: gasPath }
  const segments = path.split('/')
  if (segments[1] === 'v3' && segments.length > 4) {
    const below = gasPath.slice('/v3/'.length + segments[2]!.length)
    if (isGasPath(below)) return { kind: 'gas', key: segments[2] === '' ? undefined : segments[2], path: below }
  }
  let i = 1
  if (segments[i] === 'healthz' || segments[i] === 'readyz') {
    return segments.length === 2 ? { kind: segments[i] as 'healthz' | 'readyz' } : lost
  }
  let network: string | undefined
  if (!isVersion(segments[i]) && segments[i] !== 'ws') network = segments[i++]
  const kind = segments[i] === 'ws' ? 'ws' : 'rpc'
  if (kind === 'ws') i++
  const version = segments[i++]
  if (!isVersion(version) || network === '') return lost
  if (version !== 'v3') return { kind: 'lost', version }
  const key = segments[i++]
  const route: CallRoute = { kind, network: network ?? networkOfHost(host), key: key === '' ? undefined : key }
  if (i >= segments.length) return route
  const below = segments.slice(i)
  // A trailing slash is forgiven.
  if (below.at(-1) === '') below.pop()
  if (below.length === 0) return route
  const [rpc, apiVersion] = below
  if (kind === 'rpc' && below.length === 1 && rpc === 'events') return { ...route, kind: 'events' }
  return below.length === 2 && rpc === 'rpc' && apiVersion !== '' ? { ...route, apiVersion: apiVersion! } : lost
}

function isGasPath(path: string): boolean {
  return path.startsWith('/networks/') || path === chainNames || path === blockPrices
}

/** A trailing slash is forgiven. */
function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path
}

function isVersion(segment: string | undefined): segment is string {
  return segment !== undefined && /^v\d{1,3}$/.test(segment)
}
