import { IpfsError } from '../error.ts'
import type { IpfsPin, IpfsPinApi } from './client.ts'
import { isCidText } from './cid-text.ts'
import type { Host } from './host.ts'
import type { linesOf } from './lines.ts'
import { findCid } from './verified/same-cid.ts'

/** Longest line, in characters: old hosts send all pins in one. */
const longestLine = 1 << 26

/** `IpfsClient.pin.ls`. `readLines` is a parameter, so that the code that loads first need not be split for it. */
export async function* listPins(
  host: Host,
  readLines: typeof linesOf,
  { cid, type, ...options }: Parameters<IpfsPinApi['ls']>[0] = {},
): AsyncGenerator<IpfsPin> {
  const { chunks } = await host.call('pin/ls', { arg: cid, type, stream: true, names: true }, options)
  for await (const line of readLines(chunks, host.redact, longestLine)) {
    const keys = line['Keys']
    const pins = keys === undefined ? [[line['Cid'], line] as const] : Object.entries(keys ?? {})
    for (const [key, value] of pins) {
      const pin = pinOf(key, Object(value) as Record<string, unknown>)
      if (cid !== undefined) findCid([pin.cid], cid)
      yield pin
    }
  }
}

function pinOf(cid: unknown, { Type: type, Name: name }: Record<string, unknown>): IpfsPin {
  if (!isCidText(cid) || typeof type !== 'string') {
    throw new IpfsError('invalid_response', 'expected pins of Cid and Type: is url that of an IPFS API?')
  }
  return typeof name === 'string' && name !== '' ? { cid, type, name } : { cid, type }
}
