import type { Clock } from '@wayleave/jsonrpc-core'
import { isDoneWithin, pause } from '../waits.ts'

/** Time between the beginnings of two reads, in ms, however many ask. */
const apartMs = 25
/** Longest wait for a read, in ms. */
const longestMs = 250

/**
 * Shares the reads of a store among all who ask for one: `read` never runs twice at once, nor more than 40 times a second. Each is told when a
 * read has ended that began after it had asked, or after 250 ms. `read` must not reject.
 */
export function createReadAgain(read: () => Promise<void>, clock: Clock): () => Promise<void> {
  let next: Promise<void> | undefined
  let last: Promise<void> | undefined
  let readAt = -apartMs

  function readNext(): void {
    next = undefined
    readAt = clock.now()
    last = read()
  }

  /** Waits for the read before, and for its time. */
  async function afterLast(): Promise<void> {
    await last
    const restMs = readAt + apartMs - clock.now()
    if (restMs > 0) await pause(restMs, clock)
    readNext()
    await last
  }

  return async () => void (await isDoneWithin(longestMs, (next ??= afterLast()), clock))
}
