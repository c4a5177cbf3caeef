import { printBasic } from '@wayleave/auth'
import type { ClientOptions } from './options.ts'

/** Where calls go. No URL holds credentials: they travel as a header. */
export interface Target {
  readonly http: string | undefined
  readonly ws: string | undefined
  /** `authorization`, or nothing. */
  readonly headers: Readonly<Record<string, string>>
  /** The gas API; undefined where a node has none. */
  readonly gas: GasHost | undefined
}

/** A host of the gas API, and as whom it is asked. */
export interface GasHost {
  readonly url: string
  readonly apiKey: string | undefined
  readonly apiKeySecret: string | undefined
}

/**
 * With a key, `url` is a gateway's base and the specification's paths are added (Spec §4.1); without one, it is a node's
 * own URL. @throws TypeError where it is no http(s) or ws(s) URL, AuthError for credentials that HTTP Basic cannot carry.
 */
export function targetOf({ url, apiKey, apiKeySecret, network, gasUrl }: ClientOptions): Target {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^(http|ws)s?:$/.test(parsed.protocol)) {
    throw new TypeError('url: expected an http, https, ws or wss URL')
  }
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
    http: `http${secure}://${base}/v3/${key}`,
    ws: `ws${secure}://${base}/ws/v3/${key}`,
    headers,
    gas: elsewhere ?? { url: `http${secure}://${root}`, ...gasKey },
  }
}

/** One segment of a path. A URL drops `.` and takes `..` for the way up, which would lead to another network. */
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
