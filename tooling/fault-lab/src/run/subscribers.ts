import type { GatewayContext } from '@wayleave/gateway/internal/context/context'
import type { RpcServer, RpcSession } from '@wayleave/jsonrpc-core'
import { serveSocket } from '@wayleave/jsonrpc-core/websocket'
import type { Question, SubscriberPlan } from '../plan.ts'
import type { Journal } from '../world/journal.ts'
import type { VirtualClock } from '../world/virtual-clock.ts'
import { CallerSocket } from './caller-socket.ts'
import type { SeenSession, SeenStream } from './seen-streams.ts'

export interface SubscribersOptions {
  readonly server: RpcServer<GatewayContext>
  readonly clock: VirtualClock
  readonly journal: Journal
  readonly contextOf: (project: string, deadline: number, session?: RpcSession) => GatewayContext
  readonly resolve: (question: Question) => Question
}

export interface Subscribers {
  readonly streams: readonly SeenStream[]
  /** Has all subscribers leave for good. */
  leave(): void
}

interface Frame {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
  readonly params?: { readonly result: unknown }
}

/** Time for the answer to a subscription, in virtual ms. */
const answerMs = 20_000

/** Starts the subscribers of a plan: each comes when it is planned, and comes back whenever its connection ends. */
export function createSubscribers(plans: readonly SubscriberPlan[], options: SubscribersOptions): Subscribers {
  const all = plans.map((plan) => createSubscriber(plan, options))
  return {
    streams: all.map(({ seen }) => seen),
    leave() {
      for (const each of all) each.leave()
    },
  }
}

function createSubscriber(plan: SubscriberPlan, { server, clock, journal, contextOf, resolve }: SubscribersOptions) {
  const name = `subscriber ${plan.id}`
  const { filter = {}, kind } = plan
  const cursor = createCursor(kind)
  const seen = { plan, filter, sessions: [] as SeenSession[], refusals: [] as { at: number; text: string }[] }
  let socket: CallerSocket | undefined
  let first: readonly unknown[] | undefined
  let isOver = false

  /** Reads a message. One that is no JSON, as a node's garbled text may be, ends the connection. */
  function parse(text: string): Frame | undefined {
    try {
      return JSON.parse(text) as Frame
    } catch {
      journal.note(name, 'got', 'no JSON')
      return undefined
    }
  }

  function connect(): void {
    if (isOver) return
    const { place } = cursor
    const params = paramsOf(place)
    let session: SeenSession | undefined
    const own = new CallerSocket(
      (text) => {
        const frame = parse(text)
        if (frame === undefined) return own.gone(1007)
        const { id, result, error, params: reported } = frame
        if (reported !== undefined) {
          journal.note(name, 'told', reportEvent(reported.result))
          session?.events.push({ at: clock.now(), result: reported.result })
          cursor.reported(reported.result)
        } else if (id === 1 && error !== undefined) {
          journal.note(name, 'got', `error ${error.code} ${error.message}`)
          seen.refusals.push({ at: clock.now(), text: `${error.code} ${error.message}` })
          own.gone(1000)
        } else if (id === 1) {
          journal.note(name, 'got', String(result))
          const goesOn = place !== undefined && 'fromHash' in place
          const openedAt = clock.now()
          session = { openedAt, fromBlock: fromBlockIn(params), goesOn, events: [], endedAt: undefined, why: undefined }
          seen.sessions.push(session)
        }
      },
      (code, reason) => {
        journal.note(name, 'closed', `${code} ${reason}`)
        if (socket === own) socket = undefined
        if (session !== undefined && !isOver) {
          session.endedAt = clock.now()
          session.why = `${code} ${reason}`
        }
        cursor.ended(reason)
        clock.after(plan.awayMs, connect)
      },
    )
    socket = own
    serveSocket(server, own, {
      clock,
      createContext: (rpcSession) => contextOf(plan.project, clock.now() + answerMs, rpcSession),
    })
    const call = { jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params }
    journal.note(name, 'asks', JSON.stringify(params))
    own.deliver(JSON.stringify(call))
  }

  /** Names the place to begin at, the same each time: a caller who is refused comes back with it. */
  function paramsOf(goOn: Place | undefined): readonly unknown[] {
    if (goOn !== undefined) return paramsFrom(goOn)
    return (first ??= paramsFrom(undefined))
  }

  function paramsFrom(goOn: Place | undefined): readonly unknown[] {
    const { fromDepth } = plan
    const place = goOn ?? (fromDepth === undefined ? {} : { fromBlock: `$number:head-${fromDepth}` })
    const isFirst = Object.keys(place).length === 0
    const params = kind === 'logs' ? [{ ...filter, ...place }] : isFirst || kind !== 'newHeads' ? [] : [place]
    return resolve({ method: 'eth_subscribe', params: [kind, ...params] }).params
  }

  function leave(): void {
    isOver = true
    socket?.gone(1001)
  }

  clock.after(plan.at, () => {
    const [resolved] = resolve({ method: '', params: [filter] }).params
    Object.assign(seen, { filter: resolved })
    connect()
  })
  for (const at of plan.drops) clock.after(at, () => socket?.gone(1006))
  if (plan.leavesAt !== undefined) clock.after(plan.leavesAt, leave)
  return { seen: seen as SeenStream, leave }
}

type Place = { readonly fromHash: string } | { readonly fromBlock: string }

/** The place from which a subscriber goes on: that of the reason it was given, else the block of the last event that it keeps. */
function createCursor(kind: SubscriberPlan['kind']) {
  let kept: { readonly block: string; readonly index: string }[] = []
  let place: Place | undefined
  return {
    get place() {
      return place
    },
    reported(result: unknown): void {
      const { hash, blockHash, blockNumber, logIndex, removed } = Object(result) as Record<string, unknown>
      if (kind === 'newHeads') place = { fromHash: String(hash) }
      if (kind !== 'logs') return
      const [block, index] = [String(blockHash), String(logIndex)]
      if (removed !== true) kept.push({ block, index })
      else kept = kept.filter((log) => log.block !== block || log.index !== index)
      const last = kept.at(-1)
      place = last === undefined ? { fromBlock: String(blockNumber) } : { fromHash: last.block }
    },
    ended(reason: string): void {
      const fromHash = /resume from block \d+ \((0x[\da-f]{64})\)/.exec(reason)?.[1]
      if (fromHash !== undefined && (kind === 'newHeads' || kind === 'logs')) place = { fromHash }
    },
  }
}

function fromBlockIn(params: readonly unknown[]): number | undefined {
  const { fromBlock } = Object(params[1]) as { readonly fromBlock?: string }
  return fromBlock === undefined ? undefined : Number(fromBlock)
}

const short = (hash: unknown): string => String(hash).slice(0, 10)

function reportEvent(result: unknown): string {
  if (typeof result === 'string') return `transaction ${short(result)}`
  if (Array.isArray(result)) {
    const [first] = result as readonly Readonly<Record<string, unknown>>[]
    return `${result.length} receipts of ${short(first?.['blockHash'])}`
  }
  const { number, hash, blockNumber, blockHash, logIndex, removed } = Object(result) as Record<string, unknown>
  if (blockHash === undefined) return `head ${Number(number)} ${short(hash)}`
  return `${removed === true ? 'removed log' : 'log'} ${Number(logIndex)} of ${Number(blockNumber)} ${short(blockHash)}`
}
