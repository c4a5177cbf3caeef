import { CID } from 'multiformats/cid'
import type { PinnedRoot } from './backend.ts'
import type { PinLedger } from './pin-ledger.ts'

/** Pins that are read at once. */
const pageSize = 1_000

/** Yields every pin of any project, reading page by page: a collection must keep these. */
export async function* pinnedRoots(ledger: PinLedger): AsyncGenerator<PinnedRoot> {
  let after: string | undefined
  for (;;) {
    const page = await ledger.roots({ after, limit: pageSize })
    for (const { cid, recursive } of page) yield { cid: CID.parse(cid), recursive }
    if (page.length < pageSize) return
    after = page.at(-1)!.cid
  }
}
