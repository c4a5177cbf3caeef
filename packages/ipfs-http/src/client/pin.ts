import { IpfsError } from '../error.ts'
import type { IpfsPinApi } from './client.ts'
import type { Host } from './host.ts'
import { linesOf } from './lines.ts'

/** `IpfsClient.pin`. */
export function createPinApi(host: Host): IpfsPinApi {
  return {
    async add(cid, { recursive, name, onProgress, ...options } = {}) {
      const query = { arg: cid, recursive, name, progress: onProgress && true }
      const { chunks } = await host.call('pin/add', query, options)
      for await (const line of linesOf(chunks, host.redact)) {
        if (line['Pins'] !== undefined) return pinned(line)[0]!
        if (typeof line['Progress'] === 'number') onProgress?.(line['Progress'])
      }
      throw new IpfsError('truncated', 'the answer ended: retry')
    },
    async rm(cid, { recursive, ...options } = {}) {
      return pinned(await host.json('pin/rm', { arg: cid, recursive }, options))[0]!
    },
    async *ls(options) {
      yield* (await import('./pin-list.ts')).listPins(host, linesOf, options)
    },
    async update(from, to, { unpin, ...options } = {}) {
      return pinned(await host.json('pin/update', { arg: [from, to], unpin }, options))
    },
  }
}

function pinned(answer: { readonly Pins?: unknown } | null): readonly string[] {
  const pins = answer?.Pins
  if (Array.isArray(pins) && typeof pins[0] === 'string') return pins as string[]
  throw new IpfsError('invalid_response', 'expected Pins: check url')
}
