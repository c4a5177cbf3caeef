/** The web origins that an entry of an allowlist means. */
export interface OriginPattern {
  /** Undefined: any scheme. */
  readonly scheme: string | undefined
  /** Empty: any host and port. A leading dot: every host below it, at any depth. */
  readonly host: string
  /** Undefined: the default port of the origin's scheme. */
  readonly port: string | undefined
}

const label = '[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?'
const hostForm = `${label}(?:\\.${label})*|\\[[0-9a-f:.]+\\]`
const schemeForm = '[a-z][a-z0-9+.-]*'
const entryForm = new RegExp(`^(?:(${schemeForm})://)?(?:(\\*\\.)?(${hostForm})(?::(\\d{1,5}))?)?$`)
const originForm = new RegExp(`^(${schemeForm})://(${hostForm})(?::(\\d{1,5}))?$`)
const defaultPorts: Readonly<Record<string, string>> = { http: '80', https: '443', ws: '80', wss: '443' }

/**
 * Reads `https://app.example.com`, `app.example.com` (any scheme), `https://*.example.com` (its subdomains) or `https://` (any host);
 * a port where it is not the default. Undefined for any other text, also for `*.com`, since anybody may have a host below a single label.
 */
export function parseOriginPattern(text: string): OriginPattern | undefined {
  const parts = text.length > maxOriginLength ? null : entryForm.exec(text.toLowerCase())
  if (parts === null) return undefined
  const [, scheme, wildcard, host = '', port] = parts
  // Pages without an origin of their own send "null".
  if ((scheme === undefined && host === '') || host === 'null') return undefined
  if (wildcard !== undefined && (host.startsWith('[') || isSuffix(host))) return undefined
  return { scheme, host: wildcard === undefined ? host : `.${host}`, port }
}

/** Tells whether the value of an `Origin` header fits one of the patterns; `null` and malformed values fit none. */
export function matchesOrigin(patterns: readonly OriginPattern[], origin: string): boolean {
  const parts = origin.length > maxOriginLength ? null : originForm.exec(origin.toLowerCase())
  if (parts === null) return false
  const [, scheme = '', host = '', port = defaultPorts[scheme]] = parts
  return patterns.some(
    (pattern) =>
      (pattern.scheme === undefined || pattern.scheme === scheme) &&
      (pattern.host === '' || (fitsHost(pattern.host, host) && (pattern.port ?? defaultPorts[scheme]) === port)),
  )
}

/** Single labels below which no stranger can have a host (RFC 6761, RFC 6762, ICANN's `internal`). */
const ownLabels = new Set(['localhost', 'local', 'internal', 'lan', 'home', 'test'])

/** Tells a name below which anybody may have a host: a single label, such as `com`. */
function isSuffix(host: string): boolean {
  return !host.includes('.') && !ownLabels.has(host)
}

const maxOriginLength = 512

function fitsHost(wanted: string, host: string): boolean {
  return wanted.startsWith('.') ? host.endsWith(wanted) : host === wanted
}
