import { IpfsError } from '../error.ts'
import type { Host, HostCallOptions } from './host.ts'
import { isSameCid } from './verified/same-cid.ts'

/** Statuses by which a host says that it has no such call, or none for this key. */
const absent: ReadonlySet<number | undefined> = new Set([403, 404, 405, 501])

/**
 * Asks whether the host keeps the pin of an upload. It may have failed after it told all CIDs, and have said so in a trailer, which
 * `fetch` hides. A host that has no `pin/ls` is believed.
 * @throws IpfsError `stream_error` if there is no pin
 */
export async function confirmPin(host: Host, cid: string, options: HostCallOptions): Promise<void> {
  const answer = await host
    .json<{ readonly Keys?: unknown } | null>('pin/ls', { arg: cid, type: 'recursive' }, options)
    .catch((thrown: unknown) => {
      if (!(thrown instanceof IpfsError)) throw thrown
      if (thrown.code === 'http_status' && absent.has(thrown.status)) return undefined
      throw thrown.code === 'not_pinned' ? unpinned(cid, thrown) : thrown
    })
  if (answer === undefined) return
  const { Keys: keys } = answer ?? {}
  if (typeof keys !== 'object') throw new IpfsError('invalid_response', 'expected Keys of pins: check url')
  if (!Object.keys(keys ?? {}).some((key) => isSameCid(key, cid))) throw unpinned(cid)
}

function unpinned(cid: string, cause?: unknown): IpfsError {
  return new IpfsError('stream_error', `the host told all CIDs, and then failed to pin ${cid}: retry`, { cause })
}
