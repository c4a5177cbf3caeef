import { randomText, systemClock } from '../defaults.ts'
import { IpfsError } from '../error.ts'
import { add, uploading } from './add.ts'
import { cat } from './cat.ts'
import type { IpfsClient, IpfsClientOptions, IpfsPinApi } from './client.ts'
import { createHost, type Host } from './host.ts'
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
    verify,
    uploads,
    maxParts: options.maxParts,
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
    pin: createPinApi(host),
    block: onDemand(async () => (await import('./blocks.ts')).createBlockApi(settings), ['get', 'put', 'stat']),
    dag: onDemand(async () => (await import('./blocks.ts')).createDagApi(settings), ['get', 'put', 'resolve']),
    version: (callOptions) => host.json('version', {}, callOptions),
    id: (callOptions) => host.json('id', {}, callOptions),
  }
}

/** `IpfsClient.pin`. */
function createPinApi(host: Host): IpfsPinApi {
  return {
    async add(cid, { recursive, name, onProgress, ...options } = {}) {
      const query = { arg: cid, recursive, name, progress: onProgress && true }
      const { chunks } = await host.call('pin/add', query, options)
      for await (const line of linesOf(chunks, host.redact)) {
        if (line['Pins'] !== undefined) return pinned(line, cid)
        if (typeof line['Progress'] === 'number') onProgress?.(line['Progress'])
      }
      throw new IpfsError('truncated', 'the answer ended: retry')
    },
    async rm(cid, { recursive, ...options } = {}) {
      return pinned(await host.json('pin/rm', { arg: cid, recursive }, options), cid)
    },
    async *ls(options) {
      yield* (await import('./pin-list.ts')).listPins(host, linesOf, options)
    },
    async update(from, to, { unpin, ...options } = {}) {
      const { findCids } = await import('./verified/same-cid.ts')
      return findCids(await host.json('pin/update', { arg: [from, to], unpin }, options), to)
    },
  }
}

type PinAnswer = { readonly Pins?: unknown } | null

/** Returns the one of the pins of an answer that was asked for. @throws IpfsError `invalid_response`, `mismatch` */
async function pinned(answer: PinAnswer, asked: string): Promise<string> {
  const pins = answer?.Pins
  return Array.isArray(pins) && pins[0] === asked
    ? asked
    : (await import('./verified/same-cid.ts')).findCid(pins, asked)
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
