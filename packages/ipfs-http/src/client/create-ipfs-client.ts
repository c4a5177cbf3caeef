import { randomText, systemClock } from '../defaults.ts'
import { add, addAll } from './add.ts'
import { cat } from './cat.ts'
import type { IpfsClient, IpfsClientOptions } from './client.ts'
import { createHost } from './host.ts'
import { createPinApi } from './pin.ts'

/**
 * A client of an IPFS HTTP API (Spec §4.12): ours, Kubo's RPC, hosts with a part of it. Opens nothing until it is asked.
 * @throws IpfsError `bad_argument` for a URL that is none
 */
export function createIpfsClient(options: IpfsClientOptions): IpfsClient {
  const { url, apiKey, apiKeySecret, headers = {}, timeoutMs = 30_000, clock = systemClock } = options
  const fetch = options.fetch ?? ((...args) => globalThis.fetch(...args))
  const host = createHost({ url, apiKey, apiKeySecret, headers, fetch, timeoutMs, clock })
  const { verify = 'consistent', uploads = platformUploads() } = options
  const settings = { host, verify, uploads, lacks: new Set<never>(), boundary: () => `wayleave-${randomText()}` }

  return {
    add: (input, addOptions) => add(settings, input, addOptions),
    addAll: (entries, addOptions) => addAll(settings, entries, addOptions),
    cat: (path, catOptions) => cat(settings, path, catOptions),
    async *get(path, readOptions = {}) {
      yield* (await import('./entries.ts')).get(settings, path, readOptions)
    },
    async *ls(path, readOptions = {}) {
      yield* (await import('./entries.ts')).ls(settings, path, readOptions)
    },
    pin: createPinApi(host),
    block: onDemand(async () => (await import('./blocks.ts')).createBlockApi(settings), ['get', 'put', 'stat']),
    dag: onDemand(async () => (await import('./blocks.ts')).createDagApi(settings), ['get', 'put', 'resolve']),
    version: (callOptions) => host.json('version', {}, callOptions),
    id: (callOptions) => host.json('id', {}, callOptions),
  }
}

/** An object whose methods load with their first call. */
function onDemand<T>(load: () => Promise<T>, names: readonly (keyof T)[]): T {
  const methods = names.map((name) => [
    name,
    async (...args: readonly unknown[]) => ((await load())[name] as (...given: readonly unknown[]) => unknown)(...args),
  ])
  return Object.fromEntries(methods) as T
}

/** Browsers send a body while it is read only over HTTP/2, and not all of them. */
function platformUploads(): 'stream' | 'buffer' {
  const { process } = globalThis as { process?: { versions?: { node?: string } } }
  return process?.versions?.node === undefined ? 'buffer' : 'stream'
}
