import { printBasic } from '@wayleave/auth'
import type { StarknetVersion } from '@wayleave/starknet-types'
import type { ClientOptions } from './options.ts'

/** The targets of calls. No URL holds credentials, which travel as a header. */
export interface Target {
  readonly http: string | undefined
  readonly ws: string | undefined
  /** Holds `authorization` if there are credentials. */
  readonly headers: Readonly<Record<string, string>>
  /** The gas API; undefined for a node, which has none. */
  readonly gas: GasHost | undefined
}

/** A host of the gas API, and the credentials for it. */
export interface GasHost {
  readonly url: string
  readonly apiKey: string | undefined
  readonly apiKeySecret: string | undefined
}

/**
 * Builds the targets of a client's options. With a key, `url` is a gateway's base, to which the specification's paths are
 * added (Spec §4.1); without one, it is a node's own URL.
 * @throws TypeError if it is no http(s) or ws(s) URL, AuthError for credentials that HTTP Basic cannot carry.
 */
export function targetOf(options: ClientOptions<StarknetVersion>): Target {
  const { url, apiKey, apiKeySecret, network, starknetVersion, gasUrl } = options
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^(http|ws)s?:$/.test(parsed.protocol)) {
    throw new TypeError('url: expected an http, https, ws or wss URL')
  }
  if (options.token !== undefined && (apiKeySecret !== undefined || parsed.username + parsed.password !== '')) {
    throw new TypeError('token: takes the place of apiKeySecret and of user:password@ in url; give one of them')
  }
  const version = versionPath(starknetVersion)
  const authorization = apiKeySecret === undefined ? authorizationOf(parsed) : printBasic('', apiKeySecret)
  const headers = authorization === undefined ? {} : { authorization }
  const password = parsed.password === '' ? undefined : parsed.password
  const gasKey = { apiKey, apiKeySecret: apiKeySecret ?? (password && decode(password)) }
  const elsewhere = gasUrl === undefined ? undefined : { url: gasUrl, ...gasKey }
  if (apiKey === undefined) {
    if (network !== undefined) throw new TypeError('network: needs an apiKey; a node has one network only')
    parsed.username = ''
    parsed.password = ''
    // No request carries a fragment, and `ws` refuses one.
    parsed.hash = ''
    const isSocket = parsed.protocol.startsWith('ws')
    return { http: isSocket ? undefined : parsed.href, ws: isSocket ? parsed.href : undefined, headers, gas: elsewhere }
  }
  const secure = /^(https|wss):$/.test(parsed.protocol) ? 's' : ''
  const below = network === undefined ? '' : `/${segmentOf('network', network)}`
  const root = `${parsed.host}${parsed.pathname.replace(/\/+$/, '')}`
  const base = `${root}${below}`
  const key = segmentOf('apiKey', apiKey)
  return {
    http: `http${secure}://${base}/v3/${key}${version}`,
    ws: `ws${secure}://${base}/ws/v3/${key}${version}`,
    headers,
    gas: elsewhere ?? { url: `http${secure}://${root}`, ...gasKey },
  }
}

/** Prints the path behind the key for a version of the Starknet API: `/rpc/v0_8`, and `/rpc/v0_5` for 0.5.1. */
function versionPath(version: string | undefined): string {
  if (version === undefined) return ''
  if (!/^0\.(5\.1|[6-9]|10)$/.test(version)) throw new TypeError('starknetVersion: expected 0.5.1, or 0.6 to 0.10')
  return `/rpc/v0_${version.split('.')[1]}`
}

/** Prints one segment of a path. Refuses `.` and `..`, which would lead to another network. */
function segmentOf(option: string, text: string): string {
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`${option}: expected the name of one segment of a path`)
  return encodeURIComponent(text)
}

function authorizationOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined
  return printBasic(decode(username), decode(password))
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new TypeError('url: expected its user and password percent-encoded as UTF-8')
  }
}
