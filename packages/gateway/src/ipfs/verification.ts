import type { BadBlock, PinVerification, PinVerificationPort } from '@wayleave/admin-api'
import { type IpfsBackend, type PinLedger, verifyAllPins } from '@wayleave/ipfs-http/server'
import type { Clock } from '@wayleave/jsonrpc-core'
import type { Log } from '@wayleave/telemetry'

export interface VerificationOptions {
  readonly backend: IpfsBackend
  readonly ledger: PinLedger
  readonly clock: Clock
  readonly log: Log
}

/** Verifies pins for operators. */
export interface Verification extends PinVerificationPort {
  /** Ends the verification that runs. */
  close(): Promise<void>
}

/** Most bad blocks that are kept, and projects of each. */
const mostBad = 1_000
const mostProjects = 100

/** Makes the verifications of a backend: each reads, one after the other, all blocks that projects pin, beside the service. */
export function createVerification({ backend, ledger, clock, log }: VerificationOptions): Verification {
  const leaving = new AbortController()
  let state: PinVerification | undefined
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    const badBlocks: BadBlock[] = []
    let so: PinVerification = { state: 'running', startedAt: clock.date(), blocks: 0, bytes: 0, bad: 0, badBlocks }
    state = so
    try {
      for await (const { cid, pin, size, failure } of verifyAllPins({ backend, ledger, clock }, leaving.signal)) {
        so = { ...so, blocks: so.blocks + 1, bytes: so.bytes + size }
        if (failure !== undefined) {
          so = { ...so, bad: so.bad + 1 }
          if (badBlocks.length < mostBad) {
            const projects = await ledger.holders(String(pin), mostProjects)
            badBlocks.push({ cid: String(cid), pin: String(pin), projects, reason: failure.message })
          }
        }
        state = so
      }
      state = { ...so, state: 'done', endedAt: clock.date() }
      const { blocks, bytes, bad } = so
      if (bad > 0)
        log.error({ blocks, bytes, bad, first: badBlocks[0] }, 'blocks of pinned content are missing or broken')
      else log.info({ blocks, bytes }, 'all pinned content is whole')
    } catch (err) {
      state = { ...so, state: 'failed', endedAt: clock.date(), failure: 'the log has the reason' }
      if (!leaving.signal.aborted) log.error({ err }, 'pinned content could not be verified')
    }
  }

  return {
    start() {
      running ??= run().finally(() => {
        running = undefined
      })
      return state!
    },
    state: () => state,
    async close() {
      leaving.abort()
      await running
    },
  }
}
