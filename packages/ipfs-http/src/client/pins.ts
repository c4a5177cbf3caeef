import { IpfsError } from '../error.ts'
import type { IpfsPinApi } from './client.ts'
import type { Host } from './host.ts'
import type { linesOf } from './lines.ts'
import { findCid, findCids } from './verified/same-cid.ts'

/** Most lines of the answer to a pin: a host tells its progress twice a second. */
const mostLines = 1_000_000

/** `IpfsClient.pin`, but for its list. `readLines` is a parameter, so that the code that loads first need not be split for it. */
export function createPinApi(host: Host, readLines: typeof linesOf): Omit<IpfsPinApi, 'ls'> {
  return {
    async add(cid, { recursive, name, onProgress, ...options } = {}) {
      const query = { arg: cid, recursive, name, progress: onProgress && true }
      const { chunks } = await host.call('pin/add', query, options)
      let lines = 0
      for await (const line of readLines(chunks, host.redact)) {
        if (line['Pins'] !== undefined) return findCid(line['Pins'], cid)
        if (typeof line['Progress'] === 'number') onProgress?.(line['Progress'])
        if (++lines > mostLines) throw new IpfsError('invalid_response', 'the answer has no end')
      }
      throw new IpfsError('truncated', 'the answer ended: retry')
    },
    async rm(cid, { recursive, ...options } = {}) {
      const answer = await host.json<{ readonly Pins?: unknown } | null>('pin/rm', { arg: cid, recursive }, options)
      return findCid(answer?.Pins, cid)
    },
    async update(from, to, { unpin, ...options } = {}) {
      return findCids(await host.json('pin/update', { arg: [from, to], unpin }, options), to)
    },
  }
}
