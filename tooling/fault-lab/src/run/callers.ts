import { verification } from '@wayleave/evm-verify'
import { callerLeft, type GatewayContext } from '@wayleave/gateway/internal/context/context'
import type { RpcReply, RpcServer, RpcSession } from '@wayleave/jsonrpc-core'
import { type ServedSocket, serveSocket } from '@wayleave/jsonrpc-core/websocket'
import { cacheOutcome } from '@wayleave/rpc-cache'
import type { CallPlan, Question } from '../plan.ts'
import type { Journal } from '../world/journal.ts'
import type { VirtualClock } from '../world/virtual-clock.ts'
import { CallerSocket } from './caller-socket.ts'
import type { Answer, Seen, SeenCall, SeenSubscription } from './seen.ts'

export interface CallersOptions {
  readonly server: RpcServer<GatewayContext>
  readonly clock: VirtualClock
  readonly journal: Journal
  /** Makes the context of one request of a project. */
  readonly contextOf: (project: string, deadline: number, session?: RpcSession) => GatewayContext
  /** Puts the chain's own values in the place of a question's symbols. `subscriptions`: ids by the number of the call. */
  readonly resolve: (question: Question, subscriptions: ReadonlyMap<number, string>) => Question
}

/** The callers of a run. */
export interface Callers extends Seen {
  /** Calls that are on their way. */
  readonly waiting: number
  /** Does what a caller does now. */
  begin(plan: CallPlan): void
  /** Has all callers leave. */
  leave(): void
}

interface Connection {
  readonly socket: CallerSocket
  readonly served: ServedSocket
  readonly project: string
  /** Calls that wait for their answers, by the id of their frames. */
  readonly waiting: Map<number, (answers: readonly Answer[] | undefined) => void>
  readonly subscriptions: Map<string, SeenSubscription>
  /** The deadline of the message that is being delivered. */
  deadline: number
}

interface Frame {
  readonly id?: number
  readonly result?: unknown
  readonly error?: Answer['error']
  readonly params?: { readonly subscription: string; readonly result: unknown }
}

export function createCallers(options: CallersOptions): Callers {
  const { server, clock, journal, contextOf } = options
  const calls: SeenCall[] = []
  const subscriptions: SeenSubscription[] = []
  const connections = new Map<number, Connection>()
  /** Subscription ids by the number of the call that opened them. */
  const opened = new Map<number, string>()
  /** Requests over HTTP that are on their way. */
  const inFlight = new Set<GatewayContext>()
  const decoder = new TextDecoder()

  function settle(seen: SeenCall, frames: readonly Answer[] | undefined): void {
    // One text that is no JSON stands for all of its batch.
    const isUnread = frames?.length === 1 && frames[0]!.error === unreadable
    const answers = isUnread ? seen.questions.map(() => ({ error: unreadable })) : frames
    seen.settledAt = clock.now()
    seen.answers = answers
    journal.note(nameOf(seen.plan), 'got', answers === undefined ? 'nothing: the connection ended' : report(answers))
  }

  async function overHttp(seen: SeenCall, body: string): Promise<void> {
    const context = contextOf(seen.plan.project, seen.deadline)
    inFlight.add(context)
    try {
      const reply = await server(new TextEncoder().encode(body), context)
      const { meta, rejected } = reply
      const found = meta === undefined ? undefined : verification.of(meta)
      const single = seen.questions.length === 1
      const frames = await framesOf(reply)
      const answers = frames.map((frame) =>
        single
          ? {
              ...answerOf(frame),
              rejected: rejected?.code,
              upstream: meta?.endpoint,
              level: found?.level,
              attempts: meta?.attempts,
              cache: cacheOutcome.of(meta),
            }
          : answerOf(frame),
      )
      settle(seen, answers)
    } finally {
      inFlight.delete(context)
      context.release()
    }
  }

  async function framesOf({ body }: RpcReply): Promise<readonly Frame[]> {
    let text = ''
    if (typeof body === 'string') text = body
    else for await (const chunk of body) text += decoder.decode(chunk, { stream: true })
    return readFrames(text)
  }

  function connect(number: number, project: string): Connection {
    const known = connections.get(number)
    if (known !== undefined) return known
    const socket = new CallerSocket(
      (text) => heard(connection, text),
      (code) => {
        connections.delete(number)
        journal.note(`socket ${number}`, 'closed', `closed with ${code}`)
        for (const subscription of connection.subscriptions.values()) subscription.endedAt ??= clock.now()
        for (const answer of connection.waiting.values()) answer(undefined)
      },
    )
    const served = serveSocket(server, socket, {
      clock,
      createContext: (session) => contextOf(project, connection.deadline, session),
    })
    const connection: Connection = {
      socket,
      served,
      project,
      waiting: new Map(),
      subscriptions: new Map(),
      deadline: 0,
    }
    connections.set(number, connection)
    return connection
  }

  function heard({ waiting, subscriptions: own }: Connection, text: string): void {
    const frames = readFrames(text)
    const [{ id, params }] = frames as [Frame]
    if (params !== undefined) {
      const subscription = own.get(params.subscription)
      journal.note('push', 'told', `${params.subscription} ${JSON.stringify(params.result)}`)
      subscription?.events.push({ at: clock.now(), result: params.result })
      return
    }
    const lowest = frames.reduce((least, frame) => Math.min(least, frame.id ?? least), id ?? 0)
    const answer = waiting.get(lowest)
    waiting.delete(lowest)
    if (answer === undefined) journal.note('push', 'told', 'no JSON')
    answer?.(frames.map(answerOf))
  }

  function overSocket(seen: SeenCall, body: string, number: number): void {
    const { plan } = seen
    const connection = connect(number, plan.project)
    connection.waiting.set(firstId(plan), (answers) => {
      settle(seen, answers)
      const id = answers?.[0]?.result
      if (plan.kind === 'subscribe' && typeof id === 'string') open(seen, id, connection)
      if (plan.kind === 'unsubscribe' && id === true) end(seen, connection)
    })
    connection.deadline = seen.deadline
    connection.socket.deliver(body)
  }

  function open(seen: SeenCall, id: string, connection: Connection): void {
    const kind = String(seen.questions[0]!.params[0])
    const subscription: SeenSubscription = {
      id,
      kind,
      call: seen,
      openedAt: clock.now(),
      events: [],
      endedAt: undefined,
    }
    subscriptions.push(subscription)
    connection.subscriptions.set(id, subscription)
    opened.set(seen.plan.id, id)
  }

  function end({ questions }: SeenCall, connection: Connection): void {
    const subscription = connection.subscriptions.get(String(questions[0]!.params[0]))
    if (subscription !== undefined) subscription.endedAt = clock.now()
  }

  return {
    calls,
    subscriptions,
    get waiting() {
      return calls.filter(({ settledAt }) => settledAt === undefined).length
    },
    begin(plan) {
      const { connection: number } = plan
      if (plan.kind === 'leave') {
        if (number !== undefined) connections.get(number)?.socket.gone(1001)
        return
      }
      const questions = plan.questions.map((question) => options.resolve(question, opened))
      const at = clock.now()
      const seen: SeenCall = {
        plan,
        questions,
        at,
        deadline: at + plan.deadlineMs,
        settledAt: undefined,
        answers: undefined,
      }
      calls.push(seen)
      journal.note(nameOf(plan), 'asks', questions.map(reportQuestion).join('; '))
      const frames = questions.map((question, i) => ({ jsonrpc: '2.0', id: firstId(plan) + i, ...question }))
      const body = JSON.stringify(plan.kind === 'batch' ? frames : frames[0])
      if (number === undefined) void overHttp(seen, body)
      else overSocket(seen, body, number)
    },
    leave() {
      for (const { socket } of connections.values()) socket.gone(1001)
      for (const context of inFlight) context.cancel(callerLeft)
    },
  }
}

/** Frames of one message have ids that follow on one another. */
const firstId = ({ id }: CallPlan): number => id * 100
const nameOf = ({ id, project, connection }: CallPlan): string =>
  `${project} #${id}${connection === undefined ? '' : ` on socket ${connection}`}`

const unreadable = { code: -32700, message: 'no JSON' }

/** Reads a message. One that is no JSON, as a node's garbled text may be, is an answer that nobody can read. */
function parse(text: string): Frame | readonly Frame[] {
  try {
    return JSON.parse(text) as Frame | readonly Frame[]
  } catch {
    const id = /"id":(\d+)/.exec(text)?.[1]
    return { ...(id !== undefined && { id: Number(id) }), error: unreadable }
  }
}

function readFrames(text: string): readonly Frame[] {
  const value = parse(text)
  const frames = Array.isArray(value) ? (value as readonly Frame[]) : [value as Frame]
  return frames.toSorted((a, b) => (a.id ?? 0) - (b.id ?? 0))
}

function answerOf({ result, error }: Frame): Answer {
  return error === undefined ? { result } : { error }
}

const longestReported = 160

function report(answers: readonly Answer[]): string {
  return answers
    .map(({ result, error, upstream, level, cache }) => {
      const said = error === undefined ? JSON.stringify(result) : `error ${error.code} ${error.message}`
      const short = said.length > longestReported ? `${said.slice(0, longestReported)}…` : said
      if (cache === 'hit') return `${short} (cache: ${cache})`
      return upstream === undefined ? short : `${short} (${upstream}${level === undefined ? '' : `, ${level}`})`
    })
    .join('; ')
}

function reportQuestion({ method, params }: Question): string {
  const text = `${method} ${JSON.stringify(params)}`
  return text.length > longestReported ? `${text.slice(0, longestReported)}…` : text
}
