import { findBranch, type StreamBlock } from '@wayleave/evm-events'
import { cutParts, type RawJson, rawJsonFromText, RpcError } from '@wayleave/jsonrpc-core'
import { maxReorg } from './heads-tracker.ts'
import type { BlockPlace, Questions } from './questions.ts'
import type { Tracker } from './tracker.ts'

/** The most blocks that are fetched to close a gap. */
const maxMissed = 1_024

interface ReceiptMembers {
  readonly blockHash?: unknown
  readonly blockNumber?: unknown
  readonly transactionHash?: unknown
}

/** Follows `transactionReceipts`, whose event is an array of the receipts of a block. `hashes`: only those of these transactions. */
export function createReceiptsTracker(questions: Questions, hashes: ReadonlySet<string> | undefined): Tracker {
  /** The blocks whose receipts were told, by ascending height. */
  let reported: BlockPlace[] = []

  function note(place: BlockPlace): boolean {
    if (reported.some(({ hash }) => hash === place.hash)) return false
    // A block of the same height has replaced the one before, and those above it.
    reported = reported.filter(({ number }) => number < place.number)
    reported.push({ number: place.number, hash: place.hash })
    if (reported.length > maxReorg) reported.shift()
    return true
  }

  async function blockAt(hash: string): Promise<StreamBlock> {
    const block = await questions.byHash(hash)
    if (block === undefined) throw new RpcError('unavailable', `the node has no block ${hash}`)
    return block
  }

  async function receiptsOf(hash: string): Promise<RawJson | undefined> {
    const answer = await questions.ask('eth_getBlockReceipts', [hash])
    const receipts = answer.value()
    if (!Array.isArray(receipts)) throw new RpcError('unavailable', `the node has no receipts of block ${hash}`)
    const text = answer.text()
    const own: string[] = []
    let i = 0
    cutParts(text, text.indexOf('['), (start, end) => {
      const { transactionHash } = Object(receipts[i++]) as ReceiptMembers
      if (hashes === undefined || hashes.has(String(transactionHash).toLowerCase())) own.push(text.slice(start, end))
    })
    return own.length === 0 ? undefined : rawJsonFromText(`[${own.join(',')}]`)
  }

  return {
    async begin(from) {
      reported = [...(await questions.before(from))].slice(-1)
    },
    place: () => undefined,
    take(event) {
      const [first] = event.value() as [ReceiptMembers?]
      const { blockHash, blockNumber } = Object(first) as ReceiptMembers
      if (typeof blockHash !== 'string') return [event]
      return note({ number: Number(blockNumber), hash: blockHash.toLowerCase() }) ? [event] : []
    },
    async fill(report) {
      const end = reported.at(-1)
      if (end === undefined) throw new RpcError('denied', 'no block that was told is known')
      const target = await questions.latest()
      const known = new Map([[target.hash, target]])
      const at = async (hash: string): Promise<StreamBlock> => known.get(hash) ?? (await blockAt(hash))
      const recent = [await at(end.hash)]
      const updates = await findBranch({ recent, target, maxMissed, maxReorg, blockAt: at })
      for (const { kind, block } of updates) {
        if (kind === 'removed') continue
        const receipts = await receiptsOf(block.hash)
        if (note(block) && receipts !== undefined) await report(receipts)
      }
    },
    last: () => reported.at(-1),
    reset() {
      reported = []
    },
  }
}
