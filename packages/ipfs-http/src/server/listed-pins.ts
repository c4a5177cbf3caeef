import { CID } from 'multiformats/cid'
import type { Pin } from '../pin-ledger.ts'
import type { Call } from './call.ts'
import { blocksOf, isMet, meet, metBlocks, walkBlocks } from './walk.ts'

/** Pins read from the ledger at once. */
const pageSize = 500

/** A pin as it is listed. An indirect one is a block below a recursive pin of the project. */
export interface ListedPin {
  readonly cid: string
  readonly type: string
  readonly name: string | undefined
}

/** Yields the project's pins that fit, in the order of the ledger. */
export async function* pinsOf(call: Call, fits: (pin: Pin) => boolean): AsyncGenerator<Pin, void, undefined> {
  for await (const page of pagesOf(call)) yield* page.filter(fits)
}

/** Yields the project's pins in pages, in the order of the ledger. */
async function* pagesOf({ ledger, project }: Call): AsyncGenerator<readonly Pin[], void, undefined> {
  let after: string | undefined
  for (;;) {
    const page = await ledger.list(project.id, { after, limit: pageSize })
    yield page
    if (page.length < pageSize) return
    after = page.at(-1)!.cid
  }
}

/** Yields the blocks below the project's recursive pins that it has not pinned themselves. What lies below a missing block is unknown. */
export async function* indirectPins(call: Call): AsyncGenerator<ListedPin, void, undefined> {
  const met = metBlocks()
  const pinned = metBlocks()
  for await (const { cid } of pinsOf(call, () => true)) meet(pinned, CID.parse(cid))
  for await (const page of pagesOf(call)) {
    const roots = page.filter(isRecursive).map(({ cid }) => CID.parse(cid))
    for await (const { cid } of walkBlocks(blocksOf(call), roots, met, linksAlone(call))) {
      if (!isMet(pinned, cid)) yield { cid: String(cid), type: 'indirect', name: undefined }
    }
  }
}

/** Finds a recursive pin of the project that has a block below it; undefined if none has. */
export async function holderOf(call: Call, { code, multihash }: CID): Promise<CID | undefined> {
  const met = metBlocks()
  for await (const pin of pinsOf(call, isRecursive)) {
    const root = CID.parse(pin.cid)
    for await (const { cid } of walkBlocks(blocksOf(call), [root], met, linksAlone(call))) {
      const isBlock = cid.code === code && Buffer.compare(cid.multihash.bytes, multihash.bytes) === 0
      if (isBlock && !cid.equals(root)) return root
    }
  }
  return undefined
}

function linksAlone({ signal }: Call): { readonly reads: 'links'; readonly signal: AbortSignal } {
  return { reads: 'links', signal }
}

function isRecursive({ type }: Pin): boolean {
  return type === 'recursive'
}
