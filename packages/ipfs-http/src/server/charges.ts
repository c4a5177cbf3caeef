import { IpfsError } from '../error.ts'
import type { PinLedger } from '../pin-ledger.ts'

type Moved = Required<Parameters<PinLedger['charge']>[2]>

/** Charges projects for what they move. */
export interface Charges {
  /** Charges bytes; while the ledger is unavailable they are owed, so that nobody who reads is cut off for that. */
  charge(project: string, month: string, moved: Partial<Moved>): Promise<void>
  /** Bytes of a project and month that are owed: the ledger does not know of them. */
  owed(project: string, month: string): Moved
}

/** Most projects and months that may owe; beyond them a call fails with its charge. */
const mostOwing = 10_000
const nothing: Moved = { uploadedBytes: 0n, downloadedBytes: 0n }

/** Makes the charges of one process. What is owed is charged with the project's next call, and forgotten with the process. */
export function createCharges(ledger: PinLedger): Charges {
  const debts = new Map<string, Moved>()
  const owed = (project: string, month: string): Moved => debts.get(`${month} ${project}`) ?? nothing

  return {
    owed,
    async charge(project, month, moved) {
      const key = `${month} ${project}`
      const sum = added(owed(project, month), moved)
      debts.delete(key)
      try {
        await ledger.charge(project, month, sum)
      } catch (thrown) {
        const isForNow = thrown instanceof IpfsError && thrown.code === 'unavailable'
        if (!isForNow || (!debts.has(key) && debts.size >= mostOwing)) throw thrown
        debts.set(key, added(owed(project, month), sum))
      }
    },
  }
}

function added(a: Moved, { uploadedBytes = 0n, downloadedBytes = 0n }: Partial<Moved>): Moved {
  return { uploadedBytes: a.uploadedBytes + uploadedBytes, downloadedBytes: a.downloadedBytes + downloadedBytes }
}
