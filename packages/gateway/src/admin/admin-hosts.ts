import { isIP } from 'node:net'
import { splitAddress } from '@wayleave/http-server'
import { isLocal, parseOrigin } from '../routes/local.ts'

/**
 * Makes the check whether a request was meant for the admin listener. A name must be of this machine, the one that the listener is bound
 * to, or one of `hosts`: any other can be pointed here by a web page. Addresses cannot, so every one is taken: kubelet and Prometheus
 * ask a pod by its own. A web page (`Origin`) must be of this machine, of `hosts`, or of the very host that it asks.
 */
export function createHostCheck(
  address: string,
  hosts: readonly string[],
): (host: string, origins: readonly string[]) => boolean {
  const names = new Set([...hosts, splitAddress(address).host].map((name) => name.toLowerCase()))

  function isKnown(url: URL): boolean {
    return names.has(withoutDot(url.hostname)) && isIP(url.hostname) === 0
  }

  return (host, origins) => {
    const asked = parseOrigin(`http://${host}`)
    if (asked === undefined) return false
    const isAddress = isIP(asked.hostname.replace(/^\[|\]$/g, '')) !== 0
    if (!isAddress && !isKnown(asked) && !isLocal(withoutDot(host), undefined)) return false
    if (origins.length === 0) return true
    const origin = parseOrigin(origins[0]!)
    if (origins.length > 1 || origin === undefined) return false
    return origin.host === asked.host || isKnown(origin) || isLocal('localhost', origins[0])
  }
}

/** A name may end in the dot of the root. */
function withoutDot(name: string): string {
  return name.replace(/\.(?=$|:)/, '')
}
