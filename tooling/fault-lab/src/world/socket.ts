import type { SocketLike } from '@wayleave/jsonrpc-core'
import type { Journal } from './journal.ts'
import type { LabNode } from './node.ts'
import type { VirtualClock } from './virtual-clock.ts'
import { exchange, type Reply, spoilt } from './wire.ts'

type Type = 'open' | 'error' | 'message' | 'close'
type Listener = (event: never) => void

export interface LabSocketOptions {
  readonly node: LabNode
  readonly clock: VirtualClock
  readonly journal: Journal
  readonly onClosed: () => void
}

const reported = 300
/** The part of messages in whose middle a socket breaks while the fault lasts, where the plan gives none. */
const usualDrops = 0.3
/** Most time by which a push is late while pushes are shuffled, in ms. */
const mostShuffledMs = 1_000

/** A WebSocket to a node of the lab. Messages come one after another, as on a connection, until the first that breaks it. */
export class LabSocket implements SocketLike {
  readonly bufferedAmount = 0
  readonly #options: LabSocketOptions
  readonly #listeners: { readonly type: Type; readonly listener: Listener }[] = []
  readonly #subscriptions = new Set<string>()
  readonly #stops = new Set<() => void>()
  readonly #forget: () => void
  #state: 'connecting' | 'open' | 'closing' | 'closed' = 'connecting'
  /** When the last message has come, or will have. */
  #busyUntil = 0
  /** Messages that wait while it is paused. */
  #paused: string[] | undefined

  constructor(options: LabSocketOptions) {
    this.#options = options
    const { node } = options
    this.#forget = node.onChange(() => {
      if (node.faults.isDown || (node.faults.active('drop_socket') !== undefined && this.#state === 'open'))
        this.#break()
    })
    if (node.faults.isDown) this.#later(1, () => this.#break())
    else if (node.faults.meets('hang') === undefined) this.#later(node.latency(), () => this.#open())
  }

  #open(): void {
    if (this.#state !== 'connecting') return
    this.#state = 'open'
    this.#options.journal.note(this.#options.node.plan.name, 'opened', 'a WebSocket')
    this.#report('open', {})
  }

  /** Does something later, unless it has closed by then. */
  #later(ms: number, run: () => void): void {
    const stop = this.#options.clock.after(ms, () => {
      this.#stops.delete(stop)
      run()
    })
    this.#stops.add(stop)
  }

  send(text: string): void {
    if (this.#state !== 'open') return
    this.#later(this.#options.node.latency() / 2, () => this.#arrive(text))
  }

  #arrive(text: string): void {
    const { node, journal } = this.#options
    journal.note(node.plan.name, 'asked', `by socket ${text.slice(0, reported)}`)
    const { id, method, params = [] } = JSON.parse(text) as { id: number; method: string; params?: readonly unknown[] }
    if (method === 'eth_subscribe' || method === 'eth_unsubscribe') {
      if (node.faults.meets('hang') !== undefined) return
      return this.#send(JSON.stringify({ jsonrpc: '2.0', id, ...this.#subscribe(method, params) }), undefined)
    }
    const outcome = exchange(node, text)
    if (outcome === 'nothing') return
    if (outcome === 'reset') return this.#later(node.latency() / 2, () => this.#break())
    // A status has no place in a frame.
    if (outcome.status === 200) this.#bring(outcome)
    else if (outcome.status === 429) this.#send(outcome.bytes.toString(), outcome.sending)
    else this.#later(node.latency() / 2, () => this.#break())
  }

  #subscribe(method: string, params: readonly unknown[]): object {
    const { node } = this.#options
    if (method === 'eth_unsubscribe') {
      const id = String(params[0])
      this.#subscriptions.delete(id)
      return { result: node.unsubscribe(id) }
    }
    const id = node.subscribe(params[0], params[1], (result) => this.#push(id!, result))
    if (id === undefined)
      return { error: { code: -32602, message: `no "${String(params[0])}" subscription in eth namespace` } }
    this.#subscriptions.add(id)
    return { result: id }
  }

  #push(subscription: string, result: unknown): void {
    const { faults } = this.#options.node
    if (faults.active('mute_push') !== undefined || faults.meets('hang') !== undefined) return
    const text = JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription, result } })
    const times = faults.meets('duplicate_push') === undefined ? 1 : 2
    const lateMs = faults.meets('shuffle_push') === undefined ? 0 : faults.random() * mostShuffledMs
    for (let i = 0; i < times; i++) {
      if (lateMs === 0) this.#send(text, undefined)
      else this.#later(lateMs, () => this.#send(text, undefined))
    }
  }

  /** Brings a message to the gateway, as the faults of bytes have it. */
  #send(text: string, sending: Reply['sending']): void {
    this.#bring(
      spoilt(this.#options.node, {
        status: 200,
        headers: [],
        bytes: Buffer.from(text),
        end: 'whole',
        lateMs: 0,
        sending,
      }),
    )
  }

  #bring({ bytes, end, lateMs, sending }: Reply): void {
    const { node, clock, journal } = this.#options
    const ready = clock.now() + lateMs + node.latency() / 2
    const at = lateMs > 0 ? ready : Math.max(ready, this.#busyUntil)
    if (lateMs === 0) this.#busyUntil = at
    this.#later(at - clock.now(), () => {
      const dropping = node.faults.active('drop_socket')
      if (end === 'reset' || (dropping !== undefined && node.faults.random() < (dropping.rate ?? usualDrops)))
        return this.#break()
      if (end === 'never') return
      if (sending !== undefined) sending.answeredAt = clock.now()
      journal.note(node.plan.name, 'pushed', bytes.toString('latin1').slice(0, reported))
      this.#receive(bytes.toString())
    })
  }

  #receive(text: string): void {
    if (this.#paused === undefined) this.#report('message', { data: text })
    else this.#paused.push(text)
  }

  pause(): void {
    this.#paused ??= []
  }

  resume(): void {
    const waiting = this.#paused ?? []
    this.#paused = undefined
    for (const text of waiting) this.#receive(text)
  }

  close(code = 1000): void {
    if (this.#state === 'closed' || this.#state === 'closing') return
    this.#state = 'closing'
    this.#release()
    const { node } = this.#options
    // One that hangs does not answer the close.
    if (node.faults.active('hang') === undefined) this.#later(node.latency(), () => this.#gone(code))
  }

  terminate(): void {
    this.#release()
    this.#later(0, () => this.#gone(1006))
  }

  #break(): void {
    this.#release()
    this.#gone(1006)
  }

  #gone(code: number): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#release()
    this.#options.journal.note(this.#options.node.plan.name, 'closed', `a WebSocket, ${code}`)
    this.#options.onClosed()
    this.#report('close', { code })
  }

  /** Ends all that the node does for it. */
  #release(): void {
    this.#forget()
    for (const stop of this.#stops) stop()
    this.#stops.clear()
    for (const id of this.#subscriptions) this.#options.node.unsubscribe(id)
    this.#subscriptions.clear()
  }

  addEventListener(type: Type, listener: Listener): void {
    this.#listeners.push({ type, listener })
  }

  #report(type: Type, event: object): void {
    for (const each of this.#listeners) if (each.type === type) each.listener(event as never)
  }
}
