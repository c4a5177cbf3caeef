import { isInRanges, parseAddressRange } from '@wayleave/auth'

/** Variables by their names. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The proxy that an environment names for a URL. */
export interface EnvironmentProxy {
  readonly variable: string
  readonly url: string
}

/**
 * Finds the proxy of a URL by `HTTPS_PROXY` for https and wss, `HTTP_PROXY` for http and ws, in small letters or capitals, unless
 * `NO_PROXY` names its host. This machine is never reached through one.
 */
export function environmentProxy(url: string, environment: Environment): EnvironmentProxy | undefined {
  const { protocol, hostname, port } = new URL(url)
  const isSecure = /^(?:https|wss):$/.test(protocol)
  const names = isSecure ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy', 'HTTP_PROXY']
  const variable = names.find((name) => environment[name] !== undefined)
  const given = variable === undefined ? '' : environment[variable]!.trim()
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (given === '' || isLocal(host)) return undefined
  const exceptions = environment['no_proxy'] ?? environment['NO_PROXY'] ?? ''
  const wanted = port === '' ? (isSecure ? '443' : '80') : port
  if (exceptions.split(/[,\s]+/).some((entry) => isExcepted(entry.toLowerCase(), host, wanted))) return undefined
  return { variable: variable!, url: /^[a-z][\w+.-]*:\/\//i.test(given) ? given : `http://${given}` }
}

function isLocal(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || isWithin('127.0.0.0/8', host) || host === '::1'
}

/** Tells whether an entry of `NO_PROXY` has a host in it: `*`, a name with all below it, an address, or a block of addresses. */
function isExcepted(entry: string, host: string, port: string): boolean {
  if (entry === '') return false
  if (entry === '*') return true
  const [, bracketed, plain, ofPort] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(entry) ?? [undefined, entry]
  if (ofPort !== undefined && ofPort !== port) return false
  const name = (bracketed ?? plain ?? entry).replace(/^\*?\./, '')
  return host === name || host.endsWith(`.${name}`) || isWithin(name, host)
}

function isWithin(range: string, host: string): boolean {
  const parsed = parseAddressRange(range)
  return parsed !== undefined && isInRanges([parsed], host)
}
