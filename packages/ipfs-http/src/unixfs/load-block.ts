import type { CID } from 'multiformats/cid'
import { throwIfAborted } from '../abortable.ts'
import { codecCodes } from '../codec-codes.ts'
import { IpfsError } from '../error.ts'
import type { BlockSource, TakeBytes } from './block-source.ts'
import { identityBytes, isIdentity } from './identity.ts'
import { type PbNode, parsePb } from './pb-node.ts'

/** Reads the bytes of a block, long ones into what `take` gives. Those of an identity CID are in the CID. @throws IpfsError `aborted`, `bad_content`, and those of the source */
export async function loadBlock(
  source: BlockSource,
  cid: CID,
  signal: AbortSignal,
  take?: TakeBytes,
): Promise<Uint8Array> {
  throwIfAborted(signal)
  if (isIdentity(cid)) return identityBytes(cid)
  try {
    return await source.get(cid, signal, take)
  } catch (thrown) {
    throwIfAborted(signal)
    throw thrown
  }
}

/** Reads and parses a block of dag-pb. @throws IpfsError `bad_content` if it is none, and as {@link loadBlock} */
export async function loadPb(source: BlockSource, cid: CID, signal: AbortSignal): Promise<PbNode> {
  if (cid.code !== codecCodes.dagPb) {
    throw new IpfsError('bad_content', `expected a block of dag-pb, came ${cid} of codec 0x${cid.code.toString(16)}`)
  }
  return parsePb(cid, await loadBlock(source, cid, signal))
}
