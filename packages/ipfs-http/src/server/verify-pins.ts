import type { CID } from 'multiformats/cid'
import type { IpfsBackend, PinnedRoot } from '../backend.ts'
import { IpfsError } from '../error.ts'
import type { PinLedger } from '../pin-ledger.ts'
import { pinnedRoots } from '../pinned-roots.ts'
import type { BlockSource } from '../unixfs/block-source.ts'
import { type MetBlock, metBlocks, walkBlocks } from './walk.ts'

/** A block of a pin that was read; `failure` where it is missing or broken. */
export interface VerifiedBlock extends MetBlock {
  /** The pin on the way to which it was met first. */
  readonly pin: CID
}

/** Reads all blocks that any project pins, each once, and yields them. Fetches nothing. @throws IpfsError `aborted`, and those of the ledger */
export function verifyAllPins(
  { backend, ledger }: { readonly backend: IpfsBackend; readonly ledger: PinLedger },
  signal: AbortSignal,
): AsyncGenerator<VerifiedBlock, void, undefined> {
  const source = { get: (cid: CID) => backend.getBlock(cid, { signal, isLocal: true }) }
  return verifyPins(source, pinnedRoots(ledger), signal)
}

/** Reads all blocks of pins, each once, and yields them. */
export async function* verifyPins(
  source: Pick<BlockSource, 'get'>,
  pins: AsyncIterable<PinnedRoot>,
  signal: AbortSignal,
): AsyncGenerator<VerifiedBlock, void, undefined> {
  const met = metBlocks()
  for await (const { cid: pin, recursive } of pins) {
    // The block of a direct pin may come again above others, below a recursive one.
    const blocks = recursive ? walkBlocks(source, pin, met, { reads: 'all', signal }) : one(source, pin, signal)
    for await (const block of blocks) yield { ...block, pin }
  }
}

async function* one(source: Pick<BlockSource, 'get'>, cid: CID, signal: AbortSignal): AsyncGenerator<MetBlock> {
  try {
    yield { cid, size: (await source.get(cid, signal)).byteLength }
  } catch (thrown) {
    if (signal.aborted || !(thrown instanceof IpfsError)) throw thrown
    yield { cid, size: 0, failure: thrown }
  }
}
