import { printBasic } from '@wayleave/auth'
import type { ClientOptions } from './options.ts'

/** The targets of calls. No URL holds credentials, which travel as a header. */
export interface Target {
  readonly http: string | undefined
  readonly ws: string | undefined
  /** Holds `authorization` if there are credentials. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Builds the targets of a client's options. With a key, `url` is a gateway's base, to which the specification's paths are
 * added (Spec §4.1), and then `path`; without one, it is a node's own URL.
 * @throws TypeError if it is no http(s) or ws(s) URL, AuthError for credentials that HTTP Basic cannot carry.
 */
export function targetOf(options: ClientOptions, path = ''): Target {
  const { url, apiKey, apiKeySecret, network } = options
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^(http|ws)s?:$/.test(parsed.protocol)) {
    throw new TypeError('url: expected an http, https, ws or wss URL')
  }
  if (options.token !== undefined && (apiKeySecret !== undefined || parsed.username + parsed.password !== '')) {
    throw new TypeError('token: takes the place of apiKeySecret and of user:password@ in url; give one of them')
  }
  const authorization = apiKeySecret === undefined ? authorizationOf(parsed) : printBasic('', apiKeySecret)
  const headers = authorization === undefined ? {} : { authorization }
  if (apiKey === undefined) {
    if (network !== undefined) throw new TypeError('network: needs an apiKey; a node has one network only')
    parsed.username = ''
    parsed.password = ''
    // No request carries a fragment, and `ws` refuses one.
    parsed.hash = ''
    const isSocket = parsed.protocol.startsWith('ws')
    return { http: isSocket ? undefined : parsed.href, ws: isSocket ? parsed.href : undefined, headers }
  }
  const secure = /^(https|wss):$/.test(parsed.protocol) ? 's' : ''
  const below = network === undefined ? '' : `/${segmentOf('network', network)}`
  const base = `${parsed.host}${parsed.pathname.replace(/\/+$/, '')}${below}`
  const key = segmentOf('apiKey', apiKey)
  return { http: `http${secure}://${base}/v3/${key}${path}`, ws: `ws${secure}://${base}/ws/v3/${key}${path}`, headers }
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
