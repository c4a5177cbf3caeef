import { isIPv4 } from 'node:net'
import { UsageError } from './command.ts'

/** Reads a flag that names a port. @throws UsageError */
export function readPort(flag: string, text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new UsageError(`${flag}: expected a port from 0 to 65535, got "${text}"`)
  return port
}

/** Tells a host that only this machine reaches. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}

/** A resolver might point `localhost` elsewhere. */
export function loopbackAddress(host: string): string {
  return host === 'localhost' ? '127.0.0.1' : host
}

/** Prints `host:port`, an IPv6 host in brackets. */
export function printAddress(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}
