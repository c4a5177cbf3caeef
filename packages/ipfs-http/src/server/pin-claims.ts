import type { Pin, PinLedger } from '../pin-ledger.ts'

/** A pin that a call has put, and may still take back. */
export interface PinClaim {
  /** The call has succeeded: the pin stays. */
  keep(): void
  /** Restores the pin that was there before, unless the project has put or removed one of that CID since. True if no pin of the project is left. */
  undo(): Promise<boolean>
}

/** Puts pins for calls that may still fail, while other calls of the project do the same. */
export interface PinClaims {
  /** `maxStoredBytes` is read in the turn of the put, after those of earlier calls. */
  put(project: string, pin: Pin, maxStoredBytes: () => bigint | undefined): Promise<PinClaim | 'quota'>
  /** Runs a change that stays: earlier claims on `cids` are not taken back any more. */
  change<T>(project: string, cids: readonly string[], work: () => Promise<T>): Promise<T>
}

interface Claim {
  readonly pin: Pin
}

interface Project {
  /** Settles when the latest change of the project does. */
  last: Promise<unknown>
  /** Number of changes that run or wait. */
  waiting: number
  /** By CID: the pin before the oldest claim, and the claims in their order. */
  readonly pins: Map<string, { before: Pin | undefined; claims: Claim[] }>
}

/** Orders the changes that the calls of one process make. Other processes on the same ledger are not known here. */
export function createPinClaims(ledger: PinLedger): PinClaims {
  const projects = new Map<string, Project>()

  function inTurn<T>(id: string, work: (project: Project) => Promise<T>): Promise<T> {
    const project = projects.get(id) ?? { last: Promise.resolve(), waiting: 0, pins: new Map() }
    projects.set(id, project)
    project.waiting++
    const done = project.last.then(() => work(project))
    project.last = done
      .catch(() => {})
      .then(() => {
        project.waiting--
        forget(id, project)
      })
    return done
  }

  function forget(id: string, project: Project): void {
    if (project.waiting === 0 && project.pins.size === 0) projects.delete(id)
  }

  return {
    put: (id, pin, maxStoredBytes) =>
      inTurn(id, async (project) => {
        const known = project.pins.get(pin.cid)
        const before = known === undefined ? await ledger.get(id, pin.cid) : undefined
        if ((await ledger.put(id, pin, { maxStoredBytes: maxStoredBytes() })) === 'quota') return 'quota'
        const held = known ?? { before, claims: [] }
        const claim: Claim = { pin }
        held.claims.push(claim)
        project.pins.set(pin.cid, held)

        function settle(): void {
          if (held.claims.length > 0) return
          if (project.pins.get(pin.cid) === held) project.pins.delete(pin.cid)
          forget(id, project)
        }

        return {
          keep() {
            const at = held.claims.indexOf(claim)
            if (at < 0) return
            held.before = pin
            held.claims.splice(0, at + 1)
            settle()
          },
          undo: () =>
            inTurn(id, async () => {
              const at = held.claims.indexOf(claim)
              if (at < 0) return false
              const isNewest = at === held.claims.length - 1
              const previous = held.claims[at - 1]?.pin ?? held.before
              if (isNewest && previous !== undefined) await ledger.put(id, previous)
              if (isNewest && previous === undefined) await ledger.remove(id, pin.cid)
              held.claims.splice(at, 1)
              settle()
              return isNewest && previous === undefined
            }),
        }
      }),

    change: (id, cids, work) =>
      inTurn(id, async (project) => {
        const result = await work()
        for (const cid of cids) {
          project.pins.get(cid)?.claims.splice(0)
          project.pins.delete(cid)
        }
        return result
      }),
  }
}
