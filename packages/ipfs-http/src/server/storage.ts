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
  /** Notes that a row for so many bytes of the call is in the ledger, or no more, below 0. */
  pinned(bytes: bigint): void
  /** Notes that a row is about to be written for the blocks of the call. Call the returned function once it is known that there is none. */
  pinning(): () => void
  /** Notes that not all of what the call has walked is pinned: its blocks count until a collection finds out which are. */
  pinnedInPart(): void
  /** The refusal of a block, if there was one. */
  refused(): Refusal | undefined
  /** Ends the call's claim on its blocks. Those of a call that failed are removed, unless a row may name them. Never rejects. */
  end(isDone: boolean): Promise<void>
}

/** Counts, for each project, the bytes that its uploads hold on the disk and no pin is known to hold. */
export interface Storage {
  /** Begins the storage of one call, whose body has so many bytes as far as is known. Later calls leave it the room for them. */
  open(project: IpfsProject, bodyBytes?: number): Promise<CallStorage>
}

interface Account {
  /** Bytes of blocks without a pin. */
  unpinned: number
  /** Bytes of the pins, as of the latest call that began or ended, without those whose blocks count as `unpinned`. */
  stored: bigint
  /** The calls that run, in their order. */
  readonly calls: Set<RunningCall>
}

interface RunningCall {
  /** Bytes of its body that are not on the disk yet, with what blocks of the usual size need beside them. */
  awaited: number
  /** Bytes of its blocks that count as without a pin. */
  unpinned: number
  /** Bytes of its rows in the ledger: until its end, its blocks count beside them. */
  pinned: number
}

/** Returns the bytes of blocks of calls that count in the ledger, too. */
function countedTwice(calls: Iterable<RunningCall>): number {
  let bytes = 0
  for (const { unpinned, pinned } of calls) bytes += Math.min(unpinned, pinned)
  return bytes
}

/** The part of a file that is a block by default, and the least that a block takes on the disk. */
const chunkBytes = 262_144
const clusterBytes = 4_096

function diskBytesOf(bodyBytes: number): number {
  const chunks = Math.ceil(bodyBytes / chunkBytes)
  return bodyBytes + clusterBytes * (chunks > 1 ? chunks + 1 : chunks)
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
    if (account.calls.size === 0 && account.unpinned === 0) accounts.delete(id)
  }

  return {
    async open({ id, quota: { storedBytes: quota } }, bodyBytes = 0) {
      // Stored bytes have no month: it concerns transfers alone.
      async function storedNow(): Promise<bigint> {
        if (quota === undefined) return 0n
        const { storedBytes } = await ledger.usage(id, '')
        const twice = BigInt(countedTwice(accounts.get(id)?.calls ?? []))
        return storedBytes > twice ? storedBytes - twice : 0n
      }
      const stored = await storedNow()
      const account = accounts.get(id) ?? { unpinned: 0, stored, calls: new Set() }
      accounts.set(id, account)
      account.stored = stored
      const awaited = quota === undefined ? 0 : diskBytesOf(bodyBytes)
      const own: RunningCall = { awaited, unpinned: 0, pinned: 0 }
      account.calls.add(own)
      let refused: Refusal | undefined
      /** Rows that are, or may be, in the ledger. */
      let rows = 0
      let isOver = false
      let isInPart = false

      function isBeyond(bytes: number): boolean {
        if (quota === undefined) return false
        let ahead = 0
        for (const call of account.calls) {
          if (call === own) break
          ahead += call.awaited
        }
        return account.stored + BigInt(account.unpinned + ahead + bytes) > quota
      }
      const staged = backend.stage?.({
        lane: id,
        maxBlocks,
        onBytes(bytes) {
          if (bytes > 0 && isBeyond(bytes)) throw (refused ??= quotaReached())
          account.unpinned += bytes
          own.unpinned += bytes
          if (bytes > 0) own.awaited = Math.max(0, own.awaited - bytes)
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
          const twice = countedTwice(account.calls) - countedTwice([own])
          const others = BigInt(Math.max(0, account.unpinned - twice - (staged?.ownBytes ?? 0)))
          return quota > others ? quota - others : 0n
        },
        pinned(bytes) {
          own.pinned += Number(bytes)
          // A backend that does not tell new blocks from others tells of its pins.
          if (bytes > 0n) own.awaited = Math.max(0, own.awaited - Number(bytes))
        },
        pinning() {
          rows++
          return () => void rows--
        },
        pinnedInPart() {
          isInPart = true
        },
        refused: () => refused,
        async end(isDone) {
          if (isOver) return
          isOver = true
          own.awaited = 0
          try {
            if (isDone && rows > 0 && !isInPart) {
              staged?.keep()
              account.stored = await storedNow()
            } else if (isDone || rows > 0) staged?.leave({ mayBePinned: rows > 0 })
            else await staged?.discard()
          } catch {
            // The call has its answer. What it stored is read again by the next.
          }
          account.calls.delete(own)
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
  pinned() {},
  pinning: () => () => {},
  pinnedInPart() {},
  refused: () => undefined,
  end: async () => {},
}
