import type { Clock } from '../clock.ts'
import { IpfsError } from '../error.ts'
import type { PinLedger } from '../pin-ledger.ts'

type Moved = Required<Parameters<PinLedger['charge']>[2]>

/** Charges projects for what they move, each with one write to the ledger a second at most. */
export interface Charges {
  /**
   * Charges bytes. The first charge of a second is written before this resolves; later ones are owed until its end, and so are those that the
   * ledger cannot take for now, so that nobody who reads is cut off for that.
   */
  charge(project: string, month: string, moved: Partial<Moved>): Promise<void>
  /** Reads the bytes that a project has moved in a month: those of the ledger with those that are owed. */
  moved(project: string, month: string): Promise<Moved>
  /** Writes what is owed. Later charges are written at once. */
  close(): Promise<void>
}

/** Least time between two writes for one project, in ms: a crash loses no more than was moved in it. */
const writeEveryMs = 1_000
/** Most projects and months with charges of the last second, or that owe; those of others are written at once, or fail their call. */
const mostAccounts = 10_000

/** Most reads of the ledger for one answer. */
const mostReads = 3

interface Account {
  readonly project: string
  readonly month: string
  /** What the ledger is not known to have. */
  owed: Moved
  /** Settles with the write that runs. */
  writing: Promise<void> | undefined
  /** Number of writes that have ended. */
  writes: number
  stopTimer: () => void
  /** The reason why the last write failed for another cause than an outage. */
  failure: { readonly thrown: unknown } | undefined
}

/** Makes the charges of one process. What is owed is written at the end of each second, and forgotten with the process. */
export function createCharges(ledger: PinLedger, clock: Clock): Charges {
  const accounts = new Map<string, Account>()
  let isClosed = false

  async function write(account: Account): Promise<void> {
    const sum = account.owed
    await ledger.charge(account.project, account.month, sum)
    const { uploadedBytes, downloadedBytes } = sum
    account.owed = added(account.owed, { uploadedBytes: -uploadedBytes, downloadedBytes: -downloadedBytes })
    account.failure = undefined
  }

  /** Writes what an account owes. Never rejects: what cannot be written stays owed. */
  function settle(account: Account): Promise<void> {
    account.writing ??= write(account)
      .catch((thrown: unknown) => {
        if (!(thrown instanceof IpfsError && thrown.code === 'unavailable')) account.failure = { thrown }
      })
      .finally(() => {
        account.writing = undefined
        account.writes++
      })
    return account.writing
  }

  function startTimer(key: string, account: Account): void {
    account.stopTimer = clock.after(writeEveryMs, () => {
      if (!isOwing(account)) return void accounts.delete(key)
      startTimer(key, account)
      void settle(account)
    })
  }

  return {
    async charge(project, month, moved) {
      if (isClosed) return ledger.charge(project, month, moved)
      const key = `${month} ${project}`
      const known = accounts.get(key)
      if (known !== undefined) {
        known.owed = added(known.owed, moved)
        const { failure } = known
        known.failure = undefined
        if (failure !== undefined) throw failure.thrown
        return
      }
      if (accounts.size >= mostAccounts) return ledger.charge(project, month, moved)
      const account: Account = {
        project,
        month,
        owed: added(nothing, moved),
        writing: undefined,
        writes: 0,
        stopTimer: () => {},
        failure: undefined,
      }
      accounts.set(key, account)
      startTimer(key, account)
      await settle(account)
      const { failure } = account
      account.failure = undefined
      if (failure !== undefined) throw failure.thrown
    },
    async moved(project, month) {
      const key = `${month} ${project}`
      for (let tries = 1; ; tries++) {
        const account = accounts.get(key)
        // It is not known whether the ledger tells of the bytes of a write that runs.
        await account?.writing
        const { owed: before = nothing, writes = 0 } = account ?? {}
        const usage = await ledger.usage(project, month)
        const { owed = nothing, writing, writes: writesNow = 0 } = accounts.get(key) ?? {}
        const isSettled = writing === undefined && writesNow === writes
        // Where writes take as long as reads, some bytes count twice for a second, and none is forgotten.
        if (isSettled || tries === mostReads) return added(usage, larger(before, owed))
      }
    },
    async close() {
      isClosed = true
      for (const { stopTimer } of accounts.values()) stopTimer()
      for (const account of accounts.values()) {
        await account.writing
        if (isOwing(account)) await settle(account)
      }
      accounts.clear()
    },
  }
}

const nothing: Moved = { uploadedBytes: 0n, downloadedBytes: 0n }

function isOwing({ owed }: Account): boolean {
  return owed.uploadedBytes > 0n || owed.downloadedBytes > 0n
}

function added(a: Moved, { uploadedBytes = 0n, downloadedBytes = 0n }: Partial<Moved>): Moved {
  return { uploadedBytes: a.uploadedBytes + uploadedBytes, downloadedBytes: a.downloadedBytes + downloadedBytes }
}

function larger(a: Moved, b: Moved): Moved {
  const most = (one: bigint, other: bigint): bigint => (one > other ? one : other)
  return {
    uploadedBytes: most(a.uploadedBytes, b.uploadedBytes),
    downloadedBytes: most(a.downloadedBytes, b.downloadedBytes),
  }
}
