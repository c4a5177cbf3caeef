import { rename, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Clock } from '@wayleave/jsonrpc-core'
import type { AnvilCalls } from './anvil-calls.ts'
import { savingPath } from './state-file.ts'

/** A pause of so many times its duration follows a save, so a large chain is saved less often. */
const pauseFactor = 4
/** Changes without a block are saved this late, in ms. */
const saveAtLeastEveryMs = 30_000

/**
 * Saves a chain after each new block, and every 30 seconds, until the signal aborts. A save that fails is tried again
 * later: the chain goes on, and is saved at its end, too. `head` is the hash of the head that the file holds.
 */
export async function saveWhileRunning(
  calls: AnvilCalls,
  stateFile: string,
  head: string | undefined,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  let saved = head
  let savedAt = clock.now()
  let isStale = true
  let wake = (): void => {}
  const onHead = (): void => {
    isStale = true
    wake()
  }
  // Without its heads, the chain is still saved every 30 seconds.
  await calls.follow(onHead).catch(() => {})
  while (!signal.aborted) {
    const begun = clock.now()
    isStale = false
    try {
      const { hash } = await calls.latest()
      if (hash !== saved || begun - savedAt >= saveAtLeastEveryMs) {
        saved = await saveChain(calls, stateFile, begun - savedAt >= saveAtLeastEveryMs)
        if (saved === undefined) {
          await untilQuiet(calls, clock.now() - begun, savedAt + saveAtLeastEveryMs, clock, signal)
          continue
        }
        savedAt = clock.now()
      }
    } catch {
      // The next turn tries again.
    }
    await pause((clock.now() - begun) * pauseFactor, clock, signal)
    if (!isStale) await pause(saveAtLeastEveryMs, clock, signal, (end) => (wake = end))
  }
}

/** Waits until no block has come for so many milliseconds, or a save is overdue. */
async function untilQuiet(
  calls: AnvilCalls,
  ms: number,
  overdueAt: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  let { hash } = await calls.latest()
  while (!signal.aborted && clock.now() < overdueAt) {
    await pause(ms, clock, signal)
    // Anvil announces heads late under load, so it is asked.
    const present = await calls.latest()
    if (present.hash === hash) return
    hash = present.hash
  }
}

/**
 * Replaces the state file by the present state, and gives the hash of its head. Undefined, and nothing is saved, if a
 * block came meanwhile: anvil may mix the blocks of one moment with the balances of another. `isOverdue`: it is saved all
 * the same, as a chain that never rests would lose everything.
 */
export async function saveChain(calls: AnvilCalls, stateFile: string, isOverdue = false): Promise<string | undefined> {
  const { hash } = await calls.latest()
  const state = await calls.dump()
  if (!isOverdue && (await calls.latest()).hash !== hash) return undefined
  await writeFile(savingPath(stateFile), await promisify(gunzip)(state))
  await rename(savingPath(stateFile), stateFile)
  return hash
}

/** Waits until the time has passed, the signal aborts, or the function that `onWait` gets is called. */
async function pause(ms: number, clock: Clock, signal: AbortSignal, onWait?: (end: () => void) => void): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => {
    const end = (): void => {
      stop()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const stop = clock.after(ms, end)
    signal.addEventListener('abort', end)
    onWait?.(end)
  })
}
