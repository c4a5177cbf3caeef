import { isIP } from 'node:net'

/** Finds the host of a URL where it is a name. Empty for an address. */
export function hostName(url: string): string {
  const { hostname } = new URL(url)
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname : ''
}
