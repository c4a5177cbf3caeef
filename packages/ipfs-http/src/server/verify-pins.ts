import type { CID } from 'multiformats/cid'
import type { IpfsBackend, PinnedRoot } from '../backend.ts'
import type { Clock } from '../clock.ts'
import { IpfsError, type IpfsErrorCode } from '../error.ts'
import type { PinLedger } from '../pin-ledger.ts'
import { pinnedRoots } from '../pinned-roots.ts'
import type { BlockSource } from '../unixfs/block-source.ts'
import { createDeadline } from './deadline.ts'
import { type MetBlock, metBlocks, walkBlocks } from './walk.ts'

/** A block of a pin that was read; `failure` where it is missing or broken. */
export interface VerifiedBlock extends MetBlock {
  /** The pin on the way to which it was met first. */
  readonly pin: CID
}

/** Longest wait for a block, in ms. */
const blockMs = 60_000
/** Codes of failures that are of the block; by any other one, nothing is known of it. */
const ofBlock: ReadonlySet<IpfsErrorCode> = new Set(['not_found', 'bad_content', 'mismatch', 'unsupported'])

/**
 * Reads all blocks that any project pins, each once, and yields them. Fetches nothing.
 * @throws IpfsError `aborted`, `timeout` where a block takes more than a minute, those of the ledger, and those of a backend that cannot be read
 */
export async function* verifyAllPins(
  { backend, ledger, clock }: { readonly backend: IpfsBackend; readonly ledger: PinLedger; readonly clock: Clock },
  signal: AbortSignal,
): AsyncGenerator<VerifiedBlock, void, undefined> {
  const deadline = createDeadline({ clock, signal, totalMs: undefined, waitMs: blockMs })
  const call = { signal: deadline.signal, isLocal: true }
  try {
    yield* verifyPins(
      { get: (cid) => deadline.wait(backend.getBlock(cid, call)) },
      pinnedRoots(ledger),
      deadline.signal,
    )
  } catch (thrown) {
    throw deadline.exceeded() ?? thrown
  } finally {
    deadline.end()
  }
}

/** Reads all blocks of pins, each once, and yields them. @throws IpfsError where nothing is known of a block, as its backend cannot be read */
export async function* verifyPins(
  source: Pick<BlockSource, 'get'>,
  pins: AsyncIterable<PinnedRoot>,
  signal: AbortSignal,
): AsyncGenerator<VerifiedBlock, void, undefined> {
  const met = metBlocks()
  for await (const { cid: pin, recursive } of pins) {
    // The block of a direct pin may come again above others, below a recursive one.
    const blocks = recursive ? walkBlocks(source, [pin], met, { reads: 'all', signal }) : one(source, pin, signal)
    for await (const block of blocks) {
      if (block.failure !== undefined && !ofBlock.has(block.failure.code)) throw block.failure
      yield { ...block, pin }
    }
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
