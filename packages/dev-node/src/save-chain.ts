import { rename, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Clock } from '@wayleave/jsonrpc-core'
import type { AnvilCalls } from './anvil-calls.ts'

/** How often the head is looked at, in ms: a chain that is killed loses no older blocks. */
const lookEveryMs = 250
/** A save takes no more than this share of the time, so a large chain is saved less often. */
const shareOfTime = 0.1
/** Changes without a block are saved this late, in ms. */
const saveAtLeastEveryMs = 30_000
const attempts = 3

/**
 * Saves a chain whenever its head has changed, and every 30 seconds, until the signal aborts. A save that fails is
 * tried again later: the chain goes on, and is saved at its end, too. `head` is the hash of the head that the file holds.
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
  let wait = lookEveryMs
  for (;;) {
    await pause(wait, clock, signal)
    if (signal.aborted) return
    wait = lookEveryMs
    const begun = clock.now()
    try {
      const { hash } = await calls.latest()
      if (hash === saved && begun - savedAt < saveAtLeastEveryMs) continue
      saved = (await saveChain(calls, stateFile)) ?? saved
      savedAt = clock.now()
    } catch {
      // The next turn tries again.
    }
    wait = Math.max(lookEveryMs, (clock.now() - begun) / shareOfTime)
  }
}

/**
 * Replaces the state file by the present state, and gives the hash of its head. Undefined, and nothing is saved, while
 * blocks come faster than a state is read: anvil would mix the blocks of one moment with the balances of another.
 */
export async function saveChain(calls: AnvilCalls, stateFile: string): Promise<string | undefined> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { hash } = await calls.latest()
    const state = await calls.dump()
    if ((await calls.latest()).hash !== hash) continue
    const next = `${stateFile}.saving`
    await writeFile(next, await promisify(gunzip)(state))
    await rename(next, stateFile)
    return hash
  }
  return undefined
}

async function pause(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => {
    const end = (): void => {
      stop()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const stop = clock.after(ms, end)
    signal.addEventListener('abort', end)
  })
}
