import { createContext, type RpcContext, RpcError } from '@wayleave/jsonrpc-core'
import type { LongCheck, Verdict } from '@wayleave/evm-verify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '@wayleave/jsonrpc-core'
import { type CheckQueueOptions, createCheckQueue, isCheckFailure } from '../../src/verification/check-queue.ts'
import {
  type CheckTask,
  type CheckThreadEvents,
  type StartCheckThread,
  startCheckThread,
} from '../../src/verification/check-thread.ts'
import { rejectionOf } from '../support.ts'
import { logs, receipts, reported } from './true-block.ts'
import { forged, tx } from './transaction.ts'

const right: Verdict = { ok: true, level: 'proven', fields: {} }
const check = (answer: unknown = tx): LongCheck => ({ check: 'transaction', answer, expected: { hash: tx.hash } })

interface FakeThread extends CheckThreadEvents {
  readonly tasks: CheckTask[]
  isClosed: boolean
}

/** A queue whose threads do nothing by themselves, and whose timers run when the test says so. */
function queueOf(options: Partial<CheckQueueOptions> = {}) {
  const threads: FakeThread[] = []
  const timers = new Set<() => void>()
  const crashes: string[] = []
  const start: StartCheckThread = (events) => {
    const thread: FakeThread = { ...events, tasks: [], isClosed: false }
    threads.push(thread)
    return {
      post: (task) => void thread.tasks.push(structuredClone(task)),
      close: async () => void (thread.isClosed = true),
    }
  }
  const clock = {
    now: () => 0,
    date: () => 0,
    after(_ms: number, run: () => void) {
      timers.add(run)
      return () => void timers.delete(run)
    },
  }
  const queue = createCheckQueue({ start, clock, onCrash: ({ message }) => crashes.push(message), ...options })
  return { queue, threads, timers, crashes }
}

function contextOf(tenant?: string): { context: RpcContext; cancel(): void } {
  const context = createContext({ timeoutMs: 60_000, tenant })
  onTestFinished(() => context.release())
  const fork = context.fork({})
  return { context: fork.context, cancel: () => fork.cancel(new RpcError('aborted', 'the caller has left')) }
}

describe('checks on the verification thread', () => {
  it('start it with the first, run one after another, and stop it with the queue', async () => {
    const { queue, threads, timers } = queueOf()
    expect(threads).toHaveLength(0)
    const verdicts = [queue.offload(check(), contextOf().context), queue.offload(check(), contextOf().context)]
    expect(threads[0]!.tasks.map(({ id }) => id)).toEqual([1])
    threads[0]!.onReply({ id: 1, verdict: right })
    threads[0]!.onReply({ id: 1, verdict: { ok: false, field: '', reason: 'a second time' } })
    threads[0]!.onReply({ id: 2, verdict: right })
    expect(await Promise.all(verdicts)).toEqual([right, right])
    expect([threads.length, timers.size]).toEqual([1, 0])
    const waits = rejectionOf(queue.offload(check(), contextOf().context))
    await queue.close()
    expect([threads[0]!.isClosed, isCheckFailure(await waits)]).toEqual([true, true])
    expect(await rejectionOf(queue.offload(check(), contextOf().context))).toMatchObject({ code: 'aborted' })
  })

  it('are refused in words for callers where too many wait', async () => {
    const { queue } = queueOf({ maxWaiting: 1 })
    const two = [1, 2].map(() => queue.offload(check(), contextOf().context))
    for (const one of two) one.catch(() => {})
    const why = await rejectionOf(queue.offload(check(), contextOf().context))
    expect(why).toMatchObject({ code: 'overloaded', rpc: { code: -32005 } })
    expect(isCheckFailure(why)).toBe(true)
    await queue.close()
  })

  it('of one tenant leave room for others, who need not wait for all of them', async () => {
    const { queue, threads } = queueOf({ maxWaiting: 8 })
    const many = Array.from({ length: 6 }, () => queue.offload(check(), contextOf('greedy').context))
    for (const one of many) one.catch(() => {})
    expect(await rejectionOf(many[5]!)).toMatchObject({ code: 'overloaded' })
    const other = queue.offload(check(), contextOf('modest').context)
    threads[0]!.onReply({ id: 1, verdict: right })
    expect(threads[0]!.tasks.map(({ id }) => id)).toEqual([1, 6])
    threads[0]!.onReply({ id: 6, verdict: right })
    expect(await other).toEqual(right)
    expect(threads[0]!.tasks.map(({ id }) => id)).toEqual([1, 6, 2])
    await queue.close()
  })

  it('end with their callers, also those that run', async () => {
    const { queue, threads } = queueOf()
    const [first, second, third] = [contextOf(), contextOf(), contextOf()]
    const outcomes = [first, second, third].map(({ context }) => queue.offload(check(), context))
    second.cancel()
    first.cancel()
    for (const outcome of outcomes.slice(0, 2)) expect(await rejectionOf(outcome)).toMatchObject({ code: 'aborted' })
    threads[0]!.onReply({ id: 1, verdict: right })
    expect(threads[0]!.tasks.map(({ id }) => id)).toEqual([1, 3])
    threads[0]!.onReply({ id: 3, verdict: right })
    expect(await outcomes[2]).toEqual(right)
    await queue.close()
  })

  it.each(['crashes', 'takes too long'])('fail alone where one %s: the others have a new thread', async (how) => {
    const { queue, threads, timers, crashes } = queueOf()
    const [bad, good] = [1, 2].map(() => queue.offload(check(), contextOf().context))
    if (how === 'crashes') threads[0]!.onEnd(new Error('out of memory'))
    else timers.values().next().value!()
    const why = await rejectionOf(bad!)
    // In words for callers, it ends the call, and no upstream is to blame.
    expect(why).toMatchObject({ code: 'overloaded', rpc: { code: -32603 } })
    expect(isCheckFailure(why)).toBe(true)
    threads[0]!.onReply({ id: 2, verdict: { ok: false, field: '', reason: 'of the old one' } })
    threads[1]!.onReply({ id: 2, verdict: right })
    expect(await good).toEqual(right)
    expect(crashes).toEqual([how === 'crashes' ? 'out of memory' : 'a check took longer than 10000 ms'])
    await queue.close()
  })

  it('give the verdicts that they give here, on a real thread', async () => {
    const queue = createCheckQueue({ start: startCheckThread, clock: systemClock })
    expect(await queue.offload(check(), contextOf().context)).toMatchObject({ ok: true, level: 'proven' })
    expect(await queue.offload(check(forged), contextOf().context)).toMatchObject({ ok: false, field: 'from' })
    await queue.close()
  })

  it('give verdicts of texts, on a real thread', async () => {
    const queue = createCheckQueue({ start: startCheckThread, clock: systemClock })
    const answer = JSON.stringify(logs)
    const verdictOn = ({ expected, ...one }: { answer: string; expected?: string }) => {
      const ofText = { check: 'logs', ...one, expected: { header: reported, receipts: expected } } as const
      return queue.offload({ ofText }, contextOf().context)
    }
    expect(await verdictOn({ answer })).toMatchObject({ ok: true, level: 'consistent' })
    expect(await verdictOn({ answer, expected: JSON.stringify(receipts) })).toMatchObject({ ok: true, level: 'proven' })
    expect(await verdictOn({ answer, expected: '[]' })).toMatchObject({ ok: false, field: 'receipts' })
    for (const one of [{ answer: '[' }, { answer, expected: '[' }])
      expect(await verdictOn(one)).toEqual({ ok: false, field: '', reason: 'expected JSON' })
    await queue.close()
  })
})
