import type { IpfsBackend, StagedBlocks } from '../backend.ts'
import type { PinLedger } from '../pin-ledger.ts'
import type { IpfsProject } from './api.ts'
import { quotaReached, type Refusal } from './refusal.ts'

/** The space that a call may use, and the blocks that it writes there. */
export interface CallStorage {
  /** Passed to every method of the backend; undefined where the backend does not tell new blocks from others. */
  readonly staged: StagedBlocks | undefined
  /** Throws a 403 if the project may store nothing more. */
  mayStore(): void
  /** Throws a 403 if a DAG of this size can never be pinned. */
  mayPin(bytes: bigint): void
  /** Most bytes that all pins of the project may have once the call has pinned: its quota without what its other uploads hold. */
  maxStoredBytes(): bigint | undefined
  /** Notes that a row is about to be written for the blocks of the call. Call the returned function once it is known that there is none. */
  pinning(): () => void
  /** The refusal of a block, if there was one. */
  refused(): Refusal | undefined
  /** Ends the call's claim on its blocks. Those of a call that failed are removed, unless a row may name them. Never rejects. */
  end(isDone: boolean): Promise<void>
}

/** Counts, for each project, the bytes that its uploads hold on the disk and no pin is known to hold. */
export interface Storage {
  /** Begins the storage of one call. */
  open(project: IpfsProject): Promise<CallStorage>
}

interface Account {
  /** Bytes of blocks without a pin. */
  unpinned: number
  /** Bytes of the pins, as of the latest call that began or ended. */
  stored: bigint
  calls: number
}

interface StorageOptions {
  readonly backend: IpfsBackend
  readonly ledger: PinLedger
  /** Most blocks of one call. */
  readonly maxBlocks: number
}

/** Creates the storage of all calls. Other processes on the same ledger are known by their pins alone. */
export function createStorage({ backend, ledger, maxBlocks }: StorageOptions): Storage {
  const accounts = new Map<string, Account>()

  const forget = (id: string, account: Account): void => {
    if (account.calls === 0 && account.unpinned === 0) accounts.delete(id)
  }

  return {
    async open({ id, quota: { storedBytes: quota } }) {
      // Stored bytes have no month: it concerns transfers alone.
      const storedNow = async (): Promise<bigint> =>
        quota === undefined ? 0n : (await ledger.usage(id, '')).storedBytes
      const stored = await storedNow()
      const account = accounts.get(id) ?? { unpinned: 0, stored, calls: 0 }
      accounts.set(id, account)
      account.stored = stored
      account.calls++
      let refused: Refusal | undefined
      /** Rows that are, or may be, in the ledger. */
      let rows = 0
      let isOver = false

      const isBeyond = (bytes: number): boolean =>
        quota !== undefined && account.stored + BigInt(account.unpinned + bytes) > quota
      const staged = backend.stage?.({
        lane: id,
        maxBlocks,
        onBytes(bytes) {
          if (bytes > 0 && isBeyond(bytes)) throw (refused ??= quotaReached())
          account.unpinned += bytes
          forget(id, account)
        },
      })

      return {
        staged,
        mayStore() {
          if (quota === 0n || isBeyond(1)) throw quotaReached()
        },
        mayPin(bytes) {
          // A bound may have been lowered since, and pins beyond it stay.
          if (quota !== undefined && bytes > quota && bytes > account.stored) throw quotaReached()
        },
        maxStoredBytes() {
          if (quota === undefined) return undefined
          const others = BigInt(Math.max(0, account.unpinned - (staged?.ownBytes ?? 0)))
          return quota > others ? quota - others : 0n
        },
        pinning() {
          rows++
          return () => void rows--
        },
        refused: () => refused,
        async end(isDone) {
          if (isOver) return
          isOver = true
          try {
            if (isDone && rows > 0) {
              staged?.keep()
              account.stored = await storedNow()
            } else if (isDone || rows > 0) staged?.leave()
            else await staged?.discard()
          } catch {
            // The call has its answer. What it stored is read again by the next.
          }
          account.calls--
          forget(id, account)
        },
      }
    },
  }
}

/** The storage of calls that store nothing. */
export const noStorage: CallStorage = {
  staged: undefined,
  mayStore() {},
  mayPin() {},
  maxStoredBytes: () => undefined,
  pinning: () => () => {},
  refused: () => undefined,
  end: async () => {},
}
