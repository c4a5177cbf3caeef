/**
 * Whether a request belongs to this machine: its `Host` is a loopback address or `localhost`, and so is its `Origin`, where it
 * has one. A web page from elsewhere has another origin, and another host where its name was made to point here.
 */
export function isLocal(host: string, origin: string | undefined): boolean {
  return isLocalUrl(`http://${host}`) && (origin === undefined || isLocalUrl(origin))
}

/** Reads an origin: scheme, host and port, and nothing that `URL` would take for a user, a path or a query (RFC 9110 §7.2, RFC 6454 §6.2). */
export function parseOrigin(url: string): URL | undefined {
  return /^[a-z][a-z\d+.-]*:\/\/[^\s@/\\?#%]+$/i.test(url) && URL.canParse(url) ? new URL(url) : undefined
}

function isLocalUrl(url: string): boolean {
  const hostname = parseOrigin(url)?.hostname
  if (hostname === undefined) return false
  return hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname) || /^([\w-]+\.)*localhost$/.test(hostname)
}
