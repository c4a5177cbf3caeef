import type { CID } from 'multiformats/cid'
import { IpfsError } from '../../error.ts'
import { isCidText } from '../cid-text.ts'
import { readIpfsPath } from '../../server/ipfs-path.ts'

/** Whether two texts are the same CID, in whatever version and base. */
export function isSameCid(one: unknown, other: string): boolean {
  if (one === other) return true
  const cid = cidOf(one)
  return cid !== undefined && cidOf(other)?.toV1().equals(cid.toV1()) === true
}

/**
 * Returns the one of `found` that is the CID `asked`. A path is resolved by the host: its answer cannot be compared.
 * @throws IpfsError `mismatch`, `invalid_response` if they are no CIDs
 */
export function findCid(found: unknown, asked: string): string {
  if (!Array.isArray(found) || !found.every(isCidText) || found.length === 0)
    throw new IpfsError('invalid_response', 'expected Pins: check url')
  if (cidOf(asked) === undefined) return found[0]!
  const same = found.find((each) => isSameCid(each, asked))
  if (same !== undefined) return same
  throw new IpfsError('mismatch', `the host answered for another CID than ${asked}`)
}

/** Returns all CIDs of an answer about pins, one of which must be `asked`. @throws IpfsError as {@link findCid} */
export function findCids(answer: { readonly Pins?: unknown } | null, asked: string): readonly string[] {
  findCid(answer?.Pins, asked)
  return answer!.Pins as string[]
}

/** Reads a CID with or without `/ipfs/`; undefined for another path. */
function cidOf(text: unknown): CID | undefined {
  try {
    const { cid, segments } = readIpfsPath(String(text))
    return segments.length === 0 ? cid : undefined
  } catch {
    return undefined
  }
}
