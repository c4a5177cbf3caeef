import { IpfsError } from '../error.ts'
import type { Host, HostCallOptions } from './host.ts'
import { isSameCid } from './verified/same-cid.ts'

/** Statuses by which a host says that it has no such call, or none for this key. */
const absent: ReadonlySet<number | undefined> = new Set([403, 404, 405, 501])

/** An upload that the host has told of. */
interface Reported {
  readonly cid: string
  readonly pin: boolean
  readonly pinName: string | undefined
}

/**
 * Asks whether the host keeps an upload: its pin, or its root block if it was not to be pinned. The host may have failed after it told
 * all CIDs, and have said so in a trailer, which `fetch` hides. A host that has no such call is believed, also about a name if it
 * tells none.
 * @throws IpfsError `stream_error` if it is not there
 */
export async function confirmPin(host: Host, { cid, pin, pinName }: Reported, options: HostCallOptions): Promise<void> {
  const command = pin ? 'pin/ls' : 'block/stat'
  const query = pin ? { arg: cid, type: 'recursive', names: pinName ? true : undefined } : { arg: cid, offline: true }
  const answer = await host
    .json<Readonly<Record<string, unknown>> | null>(command, query, options)
    .catch((thrown: unknown) => {
      if (!(thrown instanceof IpfsError)) throw thrown
      if (thrown.code === 'http_status' && absent.has(thrown.status)) return undefined
      throw isMissing.has(thrown.code) ? lost(cid, pin, thrown) : thrown
    })
  if (answer === undefined) return
  const { Keys: keys, Key: key } = Object(answer) as { Keys?: unknown; Key?: unknown }
  const found = pin ? keys : { [String(key)]: {} }
  if (typeof found !== 'object') throw new IpfsError('invalid_response', 'expected Keys of pins: check url')
  const entry = Object.entries(found ?? {}).find(([each]) => isSameCid(each, cid))
  if (entry === undefined) throw lost(cid, pin)
  const { Name: name } = Object(entry[1]) as { Name?: unknown }
  if (pinName && name && name !== pinName) {
    throw new IpfsError('stream_error', `the host told all CIDs, and then failed to name the pin ${cid}: retry`)
  }
}

/** Codes by which a host says that there is no pin or block. */
const isMissing: ReadonlySet<string> = new Set(['not_pinned', 'not_found'])

function lost(cid: string, pin: boolean, cause?: unknown): IpfsError {
  const what = pin ? 'pin' : 'store'
  return new IpfsError('stream_error', `the host told all CIDs, and then failed to ${what} ${cid}: retry`, { cause })
}
