import { CID } from 'multiformats/cid'
import type { PinnedRoot } from './backend.ts'
import type { PinLedger } from './pin-ledger.ts'

/** How many pins are read at once. */
const pageSize = 1_000

/** What any project pins, page by page: what a collection must keep. */
export async function* pinnedRoots(ledger: PinLedger): AsyncGenerator<PinnedRoot> {
  let after: string | undefined
  for (;;) {
    const page = await ledger.roots({ after, limit: pageSize })
    for (const { cid, recursive } of page) yield { cid: CID.parse(cid), recursive }
    if (page.length < pageSize) return
    after = page.at(-1)!.cid
  }
}
