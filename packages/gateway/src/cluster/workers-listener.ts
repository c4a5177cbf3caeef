import type { HttpListener } from '@wayleave/http-server'
import type { Workers } from './workers.ts'

/** A listener of the gateway, here or in its workers. */
export type GatewayListener = Omit<HttpListener, 'server'>

/** Makes the listener of JSON-RPC that workers are, at an address. */
export function workersListener(workers: Workers, address: string): GatewayListener {
  return {
    listen: () => workers.open().then(() => address),
    // Workers take each configuration whole.
    adapt() {},
    release: () => workers.release(),
    close: () => workers.close(),
    terminate: () => workers.terminate(),
  }
}
