import { type AddressRange, isInRanges, plainAddress } from '@wayleave/auth'

/**
 * Finds the IP address of a caller. `X-Forwarded-For` counts only if the other end of the connection is a trusted proxy; it is read from its
 * end, where each proxy adds the address that it saw, up to the first one that is not trusted. Empty where that is no address. IPv4 in IPv6
 * form, as a listener for both families sees it, is IPv4.
 */
export function clientAddress(
  remote: string | undefined,
  forwardedFor: string | undefined,
  trusted: readonly AddressRange[],
): string {
  if (remote === undefined) return ''
  if (trusted.length === 0 || forwardedFor === undefined || !isInRanges(trusted, remote))
    return remote.startsWith('::') ? (plainAddress(remote) ?? remote) : remote
  let end = forwardedFor.length
  for (let hops = 0; hops < mostHops; hops++) {
    const comma = end === 0 ? -1 : forwardedFor.lastIndexOf(',', end - 1)
    const address = addressOf(forwardedFor.slice(comma + 1, end).trim())
    // The first one may be trusted, too: a program beside a proxy asks it.
    if (comma < 0 || !isInRanges(trusted, address)) return address
    end = comma
  }
  return ''
}

/** Proxies that may stand one behind the other; a caller could write thousands. */
const mostHops = 32

/** Reads an entry, which some proxies write with a port: `192.0.2.1:4711`, `[2001:db8::1]:4711`; empty where it is no address. */
function addressOf(entry: string): string {
  const [, v6, v4] = /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(entry) ?? []
  return plainAddress(v6 ?? v4 ?? entry) ?? ''
}
