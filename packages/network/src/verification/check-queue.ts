import type { LongCheck, Verdict } from '@wayleave/evm-verify'
import { type Clock, type RpcContext, RpcError } from '@wayleave/jsonrpc-core'
import type { TextCheck } from './check-text.ts'
import type { CheckThread, StartCheckThread } from './check-thread.ts'

export interface CheckQueueOptions {
  readonly start: StartCheckThread
  readonly clock: Clock
  /** Most checks that wait; those of one tenant are at most as many as there is room left. Default 128. */
  readonly maxWaiting?: number
  /** Longest time of one check, in ms; the thread is then replaced. Default 10,000. */
  readonly maxCheckMs?: number
  /** Called with the reason why a thread ended or was replaced. */
  readonly onCrash?: (why: Error) => void
}

/** An `Offload` of evm-verify that takes checks of texts, too. */
export type OffloadCheck = (check: LongCheck | TextCheck, context: RpcContext) => Promise<Verdict>

/** Checks that wait for the verification thread. Tenants take turns; within one, first come, first served. */
export interface CheckQueue {
  readonly offload: OffloadCheck
  /** Ends the thread, and with it all checks. */
  close(): Promise<void>
}

interface Job {
  readonly id: number
  readonly tenant: string
  readonly check: LongCheck | TextCheck
  readonly resolve: (verdict: Verdict) => void
  readonly reject: (why: RpcError) => void
  readonly forgetCaller: () => void
}

const busyWords = 'too many long answers wait to be verified; ask again in a moment'
/** The rejection of a check for which there is no room. It has words for callers, since no upstream is to blame. */
const busy = new RpcError('overloaded', busyWords, { retryAfterMs: 1_000, rpc: { code: -32005, message: busyWords } })
const brokenWords = 'the check of a long answer failed or took too long'
/** Likewise: another upstream's answer would end the next thread. */
const broken = new RpcError('overloaded', brokenWords, { rpc: { code: -32603, message: brokenWords } })
const closing = new RpcError('aborted', 'the gateway is closing')

/** Tells whether a check has failed here, and not an answer. */
export function isCheckFailure(thrown: unknown): boolean {
  return thrown === busy || thrown === broken || thrown === closing
}

/** Creates a queue. The thread starts with the first check, and again with the next one after it has ended. */
export function createCheckQueue(options: CheckQueueOptions): CheckQueue {
  const { start, clock, maxWaiting = 128, maxCheckMs = 10_000, onCrash } = options
  const waiting: Job[] = []
  let thread: CheckThread | undefined
  let running: Job | undefined
  let stopTimer: (() => void) | undefined
  let lastId = 0
  let lastTenant: string | undefined
  let isClosed = false

  function settle(): Job | undefined {
    const job = running
    running = undefined
    stopTimer?.()
    stopTimer = undefined
    job?.forgetCaller()
    return job
  }

  function lost(why: Error): void {
    thread = undefined
    settle()?.reject(broken)
    if (isClosed) return
    onCrash?.(why)
    next()
  }

  function startThread(): CheckThread {
    const own: CheckThread = start({
      onReply({ id, verdict }) {
        if (thread !== own || running?.id !== id) return
        settle()!.resolve(verdict)
        next()
      },
      onEnd: (why) => void (thread === own && lost(why)),
    })
    return own
  }

  function replace(why: Error): void {
    const old = thread
    thread = undefined
    void old?.close().catch(() => {})
    lost(why)
  }

  function next(): void {
    if (running !== undefined) return
    const others = waiting.findIndex(({ tenant }) => tenant !== lastTenant)
    const [job] = waiting.splice(Math.max(0, others), 1)
    if (job === undefined) return
    running = job
    lastTenant = job.tenant
    stopTimer = clock.after(maxCheckMs, () => replace(new Error(`a check took longer than ${maxCheckMs} ms`)))
    try {
      thread ??= startThread()
      thread.post({ id: job.id, check: job.check })
    } catch (thrown) {
      settle()!.reject(broken)
      onCrash?.(thrown as Error)
      next()
    }
  }

  return {
    offload: (check, context) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(closing)
        const { tenant = '' } = context
        const own = waiting.filter((job) => job.tenant === tenant).length
        if (own >= maxWaiting - waiting.length) return reject(busy)
        const job: Job = {
          id: ++lastId,
          tenant,
          check,
          resolve,
          reject,
          forgetCaller: context.onCancel((why) => {
            // The check that runs cannot be stopped; its verdict goes to nobody.
            const at = waiting.indexOf(job)
            if (at >= 0) waiting.splice(at, 1)
            reject(why)
          }),
        }
        waiting.push(job)
        next()
      }),
    async close() {
      isClosed = true
      const old = thread
      thread = undefined
      settle()?.reject(closing)
      for (const job of waiting.splice(0)) {
        job.forgetCaller()
        job.reject(closing)
      }
      await old?.close()
    },
  }
}
