import { callerLeft, type GatewayContext } from '@wayleave/gateway/internal/context/context'
import type { RpcServer } from '@wayleave/jsonrpc-core'
import type { PollerPlan, Question } from '../plan.ts'
import type { Journal } from '../world/journal.ts'
import type { VirtualClock } from '../world/virtual-clock.ts'
import type { SeenPolls } from './seen-streams.ts'

export interface PollersOptions {
  readonly server: RpcServer<GatewayContext>
  readonly clock: VirtualClock
  readonly journal: Journal
  readonly contextOf: (project: string, deadline: number) => GatewayContext
  readonly resolve: (question: Question) => Question
}

export interface Pollers {
  readonly polls: readonly SeenPolls[]
  /** Has all pollers leave, whatever they wait for. */
  leave(): void
}

interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** Time for the answer to a poll, in virtual ms. */
const answerMs = 20_000
const decoder = new TextDecoder()

/** Starts the pollers of a plan. An answer that a poller does not get is an error, and it asks again. */
export function createPollers(plans: readonly PollerPlan[], options: PollersOptions): Pollers {
  const { server, clock, journal, contextOf, resolve } = options
  /** Polls that are on their way. */
  const inFlight = new Set<GatewayContext>()
  let isOver = false

  async function ask(plan: PollerPlan, question: Question): Promise<Answer> {
    const context = contextOf(plan.project, clock.now() + answerMs)
    inFlight.add(context)
    try {
      const call = { jsonrpc: '2.0', id: 1, ...question }
      const { body } = await server(new TextEncoder().encode(JSON.stringify(call)), context)
      let text = typeof body === 'string' ? body : ''
      if (typeof body !== 'string') for await (const chunk of body) text += decoder.decode(chunk, { stream: true })
      const answer = JSON.parse(text) as Answer
      journal.note(`poller ${plan.id}`, 'got', `${question.method} ${text.slice(0, 160)}`)
      return answer
    } catch (thrown) {
      return { error: { code: 0, message: String(thrown) } }
    } finally {
      inFlight.delete(context)
      context.release()
    }
  }

  function start(plan: PollerPlan): SeenPolls {
    const seen: SeenPolls = { plan, filter: plan.filter ?? {}, openedAt: undefined, polls: [], errors: [] }
    const again = (run: () => Promise<void>): void => void clock.after(plan.everyMs, () => void (isOver || run()))

    async function make(): Promise<void> {
      const [filter] = resolve({ method: '', params: [seen.filter] }).params
      Object.assign(seen, { filter })
      const isLogs = plan.kind === 'logs'
      const question = { method: isLogs ? 'eth_newFilter' : 'eth_newBlockFilter', params: isLogs ? [filter] : [] }
      const { result, error } = await ask(plan, question)
      if (error === undefined) {
        seen.openedAt = clock.now()
        again(() => poll(result))
      } else again(make)
    }

    async function poll(id: unknown): Promise<void> {
      const askedAt = clock.now()
      const { result, error } = await ask(plan, { method: 'eth_getFilterChanges', params: [id] })
      if (isOver) return
      const at = clock.now()
      if (error === undefined) seen.polls.push({ askedAt, at, results: result as readonly unknown[] })
      else seen.errors.push({ at, text: `${error.code} ${error.message}` })
      again(() => poll(id))
    }

    clock.after(plan.at, () => void make())
    return seen
  }

  return {
    polls: plans.map(start),
    leave() {
      isOver = true
      for (const context of inFlight) context.cancel(callerLeft)
    },
  }
}
