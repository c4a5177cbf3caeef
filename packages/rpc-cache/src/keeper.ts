import type { RawJson, RpcRequest } from '@wayleave/jsonrpc-core'
import { copyBody, isOwnForm } from './kept-body.ts'
import type { KeptAnswer } from './kept-answer.ts'
import { createPacker } from './packer.ts'
import { type Moment, placeOf } from './place.ts'
import type { CachedQuestion } from './question.ts'
import type { RpcCacheOptions, WholeResult } from './rpc-cache-options.ts'

/** Blocks for whose time other processes may find an answer that is not final, and one about the head. */
const sharedBlocks = 128
const sharedHeadBlocks = 2

/** The answers of one partition: which hold, and which are kept. */
export interface Keeper {
  /** Returns the chain as it is now, as far as answers to a question depend on it. */
  moment(question: CachedQuestion): Moment
  /** Returns an answer of this process that holds now. */
  find(question: CachedQuestion): KeptAnswer | undefined
  /** Whether the answer that this process has kept came from a source that was dropped: other processes may have it, too. */
  wasDropped(question: CachedQuestion): boolean
  /** Takes an answer of another process; false where it does not hold here. */
  adopt(question: CachedQuestion, kept: KeptAnswer): boolean
  /** Keeps an answer that was asked for at `begun`, if it may be kept; `renews`: also in place of one that holds. */
  keep(request: RpcRequest, question: CachedQuestion, response: WholeResult, begun: Moment, renews: boolean): void
  /** Resolves with the body of an answer; undefined where it cannot be read any more, and is forgotten. Never rejects. */
  unpack(question: CachedQuestion, kept: KeptAnswer): Promise<Uint8Array | undefined>
  /** Leaves the chain, and drops what a reorg could. Nothing is kept afterwards. */
  close(): void
}

/** Returns the name of a question in a cache behind the memory. */
export function sharedKey(partition: string, { key }: CachedQuestion): string {
  return `${partition} ${key}`
}

/** Creates the keeper of a partition. */
export function createKeeper(options: RpcCacheOptions): Keeper {
  const { chain, store, shared, partition, owner, markOf, sourceOf } = options
  const answers = store.partition(partition, owner)
  const packer = createPacker(options.compression)
  let reorgs = 0
  let breaks = 0
  let isClosed = false
  const leave = chain.onReorg((lastKept) => {
    reorgs++
    if (lastKept < answers.finalized) breaks++
    answers.dropAbove(lastKept)
  })

  /** Makes final what the chain calls so. */
  function settle(): Moment['finalized'] {
    const { finalized } = chain
    if (finalized !== undefined) answers.finalize(finalized.height)
    return finalized
  }

  function moment(question: CachedQuestion): Moment {
    const finalized = settle()
    const { of } = question.life
    const isHeadless = of === 'params' || of === 'block'
    return { head: isHeadless ? undefined : chain.head, finalized, reorgs, breaks }
  }

  /** Whether an answer that this process keeps holds now. */
  function holds(kept: KeptAnswer, { life }: CachedQuestion): boolean {
    if (kept.source?.isDropped === true) return false
    if (life.of === 'head') return kept.hash !== undefined && kept.hash === chain.head?.hash
    if (life.of === 'block' || kept.isFinal) return true
    settle()
    if (answers.isFinal(kept)) return true
    const { head } = chain
    return head !== undefined && (kept.height === undefined || kept.height <= head.height)
  }

  /** Keeps an answer of a question, and tells those behind the memory. */
  function put(question: CachedQuestion, kept: KeptAnswer): boolean {
    // The hash of the head is one text for all its answers; any other would be held for nothing.
    const own = question.life.of === 'head' || kept.hash === undefined ? kept : { ...kept, hash: undefined }
    return answers.set(question.key, own)
  }

  function share(question: CachedQuestion, kept: KeptAnswer): void {
    if (shared === undefined || (!kept.isFinal && kept.hash === undefined)) return
    const blocks = question.life.of === 'head' ? sharedHeadBlocks : sharedBlocks
    const forMs = kept.isFinal ? Number.POSITIVE_INFINITY : blocks * chain.blockTimeMs
    shared.set(sharedKey(partition, question), kept, forMs)
  }

  /** Whether the hash of an answer's block is of use: to know the head, or to other processes. */
  function needsHash({ life }: CachedQuestion): boolean {
    return shared !== undefined || life.of === 'head'
  }

  /** Returns the answer as it is kept; undefined: it may not be. */
  function admitted(
    request: RpcRequest,
    question: CachedQuestion,
    response: WholeResult,
    begun: Moment,
  ): KeptAnswer | undefined {
    const result: RawJson = response.result
    const place = placeOf(question, () => options.positionOf(request, result), begun, moment(question))
    if (place === undefined || !options.admits(request, question, response, place.isFinal)) return undefined
    const source = sourceOf?.(response)
    if (source?.isDropped === true) return undefined
    const body = copyBody(result)
    if (body === undefined) return undefined
    const { isFinal, height, hash } = place
    return {
      body,
      byteLength: result.byteLength,
      isFinal,
      height,
      hash: needsHash(question) ? hash : undefined,
      mark: markOf?.(response),
      source,
    }
  }

  return {
    moment,
    find(question) {
      const kept = answers.get(question.key)
      return kept !== undefined && holds(kept, question) ? kept : undefined
    },
    wasDropped: ({ key }) => answers.peek(key)?.source?.isDropped === true,
    adopt(question, kept) {
      if (isClosed || kept.byteLength > store.maxEntryBytes || !isOwnForm(kept.body) || !holds(kept, question))
        return false
      const { life } = question
      if (!kept.isFinal && life.of !== 'block' && life.of !== 'head') {
        const { height, hash } = kept
        if (height === undefined || hash === undefined || chain.has?.({ height, hash }) !== true) return false
      }
      put(question, kept)
      return true
    },
    keep(request, question, response, begun, renews) {
      if (isClosed || response.result.byteLength > store.maxEntryBytes) return
      const present = answers.peek(question.key)
      // Each waiter of a shared call comes by.
      if (present !== undefined && !renews && holds(present, question)) return
      const kept = admitted(request, question, response, begun)
      if (kept === undefined) return
      if (!put(question, kept)) return
      const packing = packer.pack(kept.body)
      if (packing === undefined) return share(question, kept)
      void packing.then((body) => {
        // It may have been evicted, dropped or renewed meanwhile.
        if (isClosed || kept.source?.isDropped === true || answers.peek(question.key)?.body !== kept.body) return
        const packed: KeptAnswer = body === undefined ? kept : { ...kept, body, encoding: 'zstd' }
        if (body !== undefined) put(question, packed)
        share(question, packed)
      })
    },
    async unpack(question, kept) {
      const body = await packer.unpack(kept)
      if (body === undefined && answers.peek(question.key) === kept) answers.delete(question.key)
      return body
    },
    close() {
      if (isClosed) return
      isClosed = true
      leave()
      // Nobody tells of reorgs any more, and another cache may open the partition.
      answers.dropAbove(answers.finalized)
      answers.close()
    },
  }
}
