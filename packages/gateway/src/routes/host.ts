/**
 * Makes the function that tells which network a `Host` header means: undefined for one of `bareHosts`; else the first label
 * where it is one of `networks`; undefined for an address or a single label, too, which serve the default network.
 * Any other host names a network that is not here, by its first label.
 */
export function createHostReader(
  networks: ReadonlySet<string>,
  bareHosts: readonly string[],
): (host: string) => string | undefined {
  const bare = new Set(bareHosts.map((host) => host.toLowerCase()))
  return (header) => {
    const host = withoutPort(header).toLowerCase().replace(/\.$/, '')
    if (bare.has(host)) return undefined
    const dot = host.indexOf('.')
    const label = dot < 0 ? host : host.slice(0, dot)
    if (networks.has(label)) return label
    if (dot < 0 || isAddress(host)) return undefined
    return label
  }
}

function withoutPort(host: string): string {
  if (host.startsWith('[')) return host
  const colon = host.indexOf(':')
  return colon < 0 ? host : host.slice(0, colon)
}

function isAddress(host: string): boolean {
  return host.startsWith('[') || /^[\d.]+$/.test(host)
}
