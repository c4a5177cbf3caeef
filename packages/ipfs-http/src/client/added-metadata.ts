import { IpfsError } from '../error.ts'
import { fromGoMode } from '../unixfs/from-go-mode.ts'
import type { IpfsAdded } from './client.ts'

/** Reads the mode and the time in a line of an answer to `add`. @throws IpfsError `invalid_response` */
export function metadataOf({
  Mode: mode,
  Mtime: secs,
  MtimeNsecs: nsecs = 0,
}: Record<string, unknown>): Pick<IpfsAdded, 'mode' | 'mtime'> {
  const isMode = mode === undefined || /^[0-7]{1,11}$/.test(String(mode))
  const isTime = secs === undefined || (Number.isSafeInteger(secs) && isWithin(nsecs, 0, 999_999_999))
  if (!isMode || !isTime) throw new IpfsError('invalid_response', 'expected Mode and Mtime as numbers: check url')
  return {
    ...(mode !== undefined && { mode: fromGoMode(Number.parseInt(String(mode), 8)) }),
    ...(secs !== undefined && { mtime: { secs: BigInt(secs as number), nsecs: nsecs as number } }),
  }
}

function isWithin(value: unknown, least: number, most: number): boolean {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most
}
