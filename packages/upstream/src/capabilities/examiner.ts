import {
  type CallContext,
  type Clock,
  createContext,
  RpcError,
  type RpcRequest,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import { discard } from '../discard.ts'
import type { Endpoint } from '../endpoint.ts'

/** Asks an upstream one question; rejects with an `RpcError` within its deadline, or when there are no more questions left. */
export type AskQuestion = (request: RpcRequest) => Promise<RpcResponse>

/** Examines upstreams from time to time, in the background, while there are callers. */
export interface Examiner {
  /** Notes that there is a caller. */
  wanted(): void
  /** Has an upstream examined again soon: its connection broke. */
  doubt(upstream: string): void
  /** Cancels what is under way; nothing is asked afterwards. */
  close(): void
}

export interface ExaminerOptions {
  readonly endpoints: readonly Endpoint[]
  /** Examines one upstream; false: it cannot be now, and is tried again soon. A rejection ends it until the next time. */
  readonly examine: (endpoint: Endpoint, ask: AskQuestion) => Promise<boolean>
  readonly clock: Clock
  /** The time at which each upstream was examined last, by name; it is added to. Default: none was. */
  readonly examinedAt?: Map<string, number> | undefined
  /** Whether an upstream may be asked a question now: else the examination ends. Default: always. */
  readonly mayAsk?: ((endpoint: Endpoint, request: RpcRequest) => boolean) | undefined
  /** Called with each question, for metrics and budgets; must not throw. */
  readonly onAsk?: ((endpoint: Endpoint, request: RpcRequest) => void) | undefined
  /** Time from the first caller to the first examination, in ms. Default 0. */
  readonly startMs?: number
  /** Time from an examination that could not be to the next, in ms. Default 50. */
  readonly retryMs?: number
  /** Time from one examination to the next, in ms. Default 10 minutes. */
  readonly everyMs?: number
  /** The least such time, in ms. Default 30 seconds. */
  readonly soonestMs?: number
  /** The longest that a question may take, in ms. Default 5 seconds. */
  readonly timeoutMs?: number
  /** Most questions of one examination. Default 64. */
  readonly mostQuestions?: number
}

export function createExaminer(options: ExaminerOptions): Examiner {
  const { endpoints, examine, clock, mayAsk, onAsk } = options
  const { startMs = 0, retryMs = 50, everyMs = 600_000, soonestMs = 30_000 } = options
  const { timeoutMs = 5_000, mostQuestions = 64, examinedAt = new Map<string, number>() } = options
  const closed = new RpcError('aborted', 'the examiner is closed', { delivery: 'not_sent' })
  const notNow = new RpcError('aborted', 'the upstream may not be asked now', { delivery: 'not_sent' })
  const open = new Set<CallContext>()
  const lastAt = new Map<string, number>()
  const dueAt = new Map<string, number>()
  const busy = new Set<string>()
  let nextAt = Number.NEGATIVE_INFINITY
  let isClosed = false

  const schedule = (): void => void (nextAt = Math.min(...dueAt.values()))

  async function ask(endpoint: Endpoint, request: RpcRequest): Promise<RpcResponse> {
    if (isClosed) throw closed
    if (mayAsk?.(endpoint, request) === false) throw notNow
    onAsk?.(endpoint, request)
    const context = createContext({ clock, timeoutMs })
    open.add(context)
    try {
      return await new Promise<RpcResponse>((resolve, reject) => {
        context.onCancel(reject)
        endpoint.handler(request, context).then((response) => {
          if (context.cancelled === undefined) resolve(response)
          else discard(response)
        }, reject)
      })
    } finally {
      open.delete(context)
      context.release()
    }
  }

  async function run(endpoint: Endpoint): Promise<void> {
    const { name } = endpoint
    let left = mostQuestions
    busy.add(name)
    lastAt.set(name, clock.now())
    dueAt.set(name, clock.now() + everyMs)
    try {
      const isDone = await examine(endpoint, (request) => {
        if (left-- > 0) return ask(endpoint, request)
        return Promise.reject(new RpcError('aborted', 'no more questions are left', { delivery: 'not_sent' }))
      })
      if (isDone) examinedAt.set(name, lastAt.get(name)!)
      else {
        dueAt.set(name, clock.now() + retryMs)
        schedule()
      }
    } catch {
      // It is asked again next time.
    } finally {
      busy.delete(name)
    }
  }

  return {
    wanted() {
      const now = clock.now()
      if (now < nextAt || isClosed) return
      if (dueAt.size === 0) {
        for (const { name } of endpoints) {
          const at = examinedAt.get(name)
          dueAt.set(name, at === undefined ? now + startMs : at + everyMs)
        }
      }
      for (const endpoint of endpoints) {
        if (now >= dueAt.get(endpoint.name)! && !busy.has(endpoint.name)) void run(endpoint)
      }
      schedule()
    },
    doubt(upstream) {
      if (!dueAt.has(upstream)) return
      dueAt.set(
        upstream,
        Math.min(dueAt.get(upstream)!, (lastAt.get(upstream) ?? Number.NEGATIVE_INFINITY) + soonestMs),
      )
      schedule()
    },
    close() {
      isClosed = true
      for (const context of open) context.cancel(closed)
    },
  }
}
