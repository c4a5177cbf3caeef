import type { Clock } from '@wayleave/jsonrpc-core'
import { systemClock } from '../defaults.ts'
import { StoresError } from '../error.ts'
import type { AccountChange, AccountFeed, AccountSnapshot } from './account-feed.ts'

/** How to follow the accounts. The two listeners must not throw. */
export interface FollowOptions {
  /** Called first, and again whenever the feed does not reach back to the last change that was seen. Replaces all that came before. */
  onSnapshot(snapshot: AccountSnapshot): void
  /** Called with each change, in order, each once. */
  onChange(change: AccountChange): void
  /** Called where a read fails after one that did not, and with undefined where one succeeds after one that failed. */
  onFailure?(error: StoresError | undefined): void
  /** Milliseconds between two reads, 250 by default. PostgreSQL also tells each change at once. */
  readonly everyMs?: number
  readonly clock?: Clock
}

/** Reads the account feed until it is closed. */
export interface AccountFollower extends AsyncDisposable {
  /** The last change that was told; undefined before the first snapshot. */
  readonly seq: number | undefined
  /** Milliseconds since the database was last read: how stale the accounts told may be. Undefined before the first snapshot. */
  staleMs(): number | undefined
  /**
   * Reads now, and resolves once all that had changed before the call was told; also where that could not be read, and at once after a read
   * that failed.
   */
  refresh(): Promise<void>
  /** Stops; nothing is told after. Waits for the read that runs. */
  close(): Promise<void>
}

const changesInRead = 500

/** Follows accounts. `hasten` registers a function to call where something may have changed, and returns how to end that. */
export function followAccounts(
  accounts: AccountFeed,
  hasten: (wake: () => void) => () => void,
  options: FollowOptions,
): AccountFollower {
  const { everyMs = 250, clock = systemClock } = options
  let seq: number | undefined
  let readAt: number | undefined
  let isFailing = false
  let isClosed = false
  let isHastened = false
  let reading: Promise<void> | undefined
  let stopWaiting: (() => void) | undefined
  const endHaste = hasten(() => {
    isHastened = true
    wake()
  })

  /** Tells all that is new. */
  async function read(): Promise<void> {
    for (;;) {
      const started = clock.now()
      const changes = seq === undefined ? undefined : await accounts.changes(seq, changesInRead)
      if (isClosed) return
      if (changes === undefined) {
        const snapshot = await accounts.snapshot()
        if (isClosed) return
        seq = snapshot.seq
        options.onSnapshot(snapshot)
      } else {
        for (const change of changes) {
          seq = change.seq
          options.onChange(change)
        }
      }
      if (changes === undefined || changes.length < changesInRead) {
        readAt = started
        return
      }
    }
  }

  async function readOnce(): Promise<void> {
    try {
      isHastened = false
      await read()
      if (isFailing) options.onFailure?.(undefined)
      isFailing = false
    } catch (thrown) {
      const error =
        thrown instanceof StoresError ? thrown : new StoresError('unavailable', 'the accounts cannot be read')
      if (error.code === 'closed') isClosed = true
      if (!isFailing && !isClosed) options.onFailure?.(error)
      isFailing = true
    }
  }

  function wake(): void {
    if (isClosed || reading !== undefined) return
    stopWaiting?.()
    reading = readOnce().finally(() => {
      reading = undefined
      if (isClosed) endHaste()
      // A notice that came during the read may be of a change that it did not see.
      else if (isHastened && !isFailing) wake()
      else stopWaiting = clock.after(everyMs, wake)
    })
  }

  async function refresh(): Promise<void> {
    if (isFailing) return
    if (reading === undefined) {
      wake()
      return reading
    }
    // The read that runs may have begun before the change.
    isHastened = true
    await reading
    await reading
  }

  wake()
  const follower: AccountFollower = {
    get seq() {
      return seq
    },
    staleMs: () => (readAt === undefined ? undefined : clock.now() - readAt),
    refresh,
    async close() {
      isClosed = true
      stopWaiting?.()
      endHaste()
      await reading
    },
    [Symbol.asyncDispose]: () => follower.close(),
  }
  return follower
}
