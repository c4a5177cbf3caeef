import { randomText, systemClock } from '../defaults.ts'
import { add, uploading } from './add.ts'
import { cat } from './cat.ts'
import type { IpfsClient, IpfsClientOptions } from './client.ts'
import { createHost } from './host.ts'
import { linesOf } from './lines.ts'

/**
 * Makes a client of an IPFS HTTP API (Spec §4.12): ours, Kubo's RPC, hosts with a part of it. Opens no connection before the
 * first call.
 * @throws IpfsError `bad_argument` if the URL is none
 */
export function createIpfsClient(options: IpfsClientOptions): IpfsClient {
  const { url, apiKey, apiKeySecret, headers = {}, timeoutMs = 30_000, deadlineMs, clock = systemClock } = options
  const fetch = options.fetch ?? ((...args) => globalThis.fetch(...args))
  const host = createHost({ url, apiKey, apiKeySecret, headers, fetch, timeoutMs, deadlineMs, clock })
  const { verify = 'consistent', uploads = platformUploads() } = options
  const settings = {
    host,
    clock,
    verify,
    uploads,
    maxParts: options.maxParts,
    maxRequestBytes: options.maxRequestBytes ?? 100_000_000,
    lacks: new Set<never>(),
    boundary: () => `wayleave-${randomText()}`,
  }

  return {
    add: (input, addOptions) => add(settings, input, addOptions),
    async *addAll(entries, addOptions) {
      yield* (await import('./add-all.ts')).addAll(uploading, settings, entries, addOptions)
    },
    cat: (path, catOptions) => cat(settings, path, catOptions),
    async *get(path, readOptions = {}) {
      yield* (await import('./entries.ts')).get(settings, path, readOptions)
    },
    async *ls(path, readOptions = {}) {
      yield* (await import('./entries.ts')).ls(settings, path, readOptions)
    },
    pin: {
      ...onDemand(async () => (await import('./pins.ts')).createPinApi(host, linesOf), ['add', 'rm', 'update']),
      async *ls(pinOptions) {
        yield* (await import('./pin-list.ts')).listPins(host, linesOf, pinOptions)
      },
    },
    block: onDemand(async () => (await import('./blocks.ts')).createBlockApi(settings), ['get', 'put', 'stat']),
    dag: onDemand(async () => (await import('./blocks.ts')).createDagApi(settings), ['get', 'put', 'resolve']),
    ...onDemand(async () => (await import('./blocks.ts')).createNodeApi(host), ['version', 'id']),
  }
}

/** Makes an object whose methods load with their first call. */
function onDemand<T>(load: () => Promise<T>, names: readonly (keyof T)[]): T {
  const methods = names.map((name) => [
    name,
    async (...args: readonly unknown[]) => ((await load())[name] as (...given: readonly unknown[]) => unknown)(...args),
  ])
  return Object.fromEntries(methods) as T
}

/** Chooses by platform: only some browsers send a body while it is read, and only over HTTP/2. */
function platformUploads(): 'stream' | 'buffer' {
  const { process } = globalThis as { process?: { versions?: { node?: string } } }
  return process?.versions?.node === undefined ? 'buffer' : 'stream'
}
