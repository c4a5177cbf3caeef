import type { Duplex } from 'node:stream'
import type { Socket } from 'node:net'
import type { Clock, RawJson, RpcReply, RpcSession } from '@wayleave/jsonrpc-core'
import { type ServedSocket, serveSocket, type ServeSocketOptions } from '@wayleave/jsonrpc-core/websocket'
import type { MeteredCaller } from '@wayleave/metering'
import { Holding, type ProjectAccount } from '@wayleave/http-server'
import { errorClass } from '@wayleave/telemetry'
import type { AdmittedCall } from '../../admission.ts'
import { statusOf } from '../../errors.ts'
import type { ListenerOptions } from '../../listener-options.ts'
import type { Principal } from '../../principal.ts'
import type { Session } from '../../sessions.ts'
import { noteUnread } from '../call.ts'
import { type Caller, GatewayContext } from '../../context/context.ts'
import { meterArriving } from './arriving.ts'
import { readFramesInTurns } from './frames-in-turns.ts'
import { printTextFrame } from './text-frame.ts'
import { closeAtOnce } from './close-at-once.ts'
import type { ClosingSocket } from './closing-socket.ts'
import type { EventReader, EventWriter } from './event-writer.ts'
import type { Upkeep, UpkeptSocket } from './upkeep.ts'

/** The parts of the gateway that all connections share. */
export interface ConnectionHost extends Pick<
  ListenerOptions,
  'sessions' | 'metering' | 'limits' | 'timeouts' | 'budget' | 'tracer' | 'recorder' | 'clock' | 'log'
> {
  readonly upkeep: Upkeep
  readonly events: EventWriter
}

export interface ConnectionOptions {
  readonly host: ConnectionHost
  readonly webSocket: ClosingSocket
  /** The connection below it. */
  readonly socket: Duplex
  readonly admitted: AdmittedCall
  readonly traceId: string
  /** The part that the directives of its upgrade decide of each caller. */
  readonly wishes: Pick<Caller, 'inlineMarks' | 'consistency' | 'unknownDirective'>
}

/** Answers the calls of one connection. Closing it answers the calls that have come before. */
export function serveConnection(options: ConnectionOptions): ServedSocket {
  return new ConnectionHooks(options).serve()
}

/** The options of `serveSocket` and the state of the upkeep in one object, since an idle connection should hold little. */
class ConnectionHooks implements ServeSocketOptions<GatewayContext>, UpkeptSocket, Session, EventReader {
  readonly #options: ConnectionOptions
  readonly account: ProjectAccount
  #metered: MeteredCaller | undefined
  #meteredAt: number
  heard = true
  active = true
  quietMs = 0
  taken = 0
  unwritten = 0
  isFirst = false
  #messages = 0

  constructor(options: ConnectionOptions) {
    this.#options = options
    const { principal, network } = options.admitted
    this.account = options.host.budget.account(principal.project.id)
    const { metering } = options.host
    this.#meteredAt = metering.version
    this.#metered = metering.callerOf(principal, network.place)
  }

  get principal(): Principal {
    return this.#options.admitted.principal
  }

  expire(): void {
    closeAtOnce(this.webSocket, this.clock, 'revoked')
  }

  get network(): string {
    return this.#options.admitted.network.name
  }

  withdraw(): void {
    closeAtOnce(this.webSocket, this.clock, 'withdrawn', `the network ${this.network} is not served any more`)
  }

  get webSocket(): ClosingSocket {
    return this.#options.webSocket
  }

  get socket(): Duplex {
    return this.#options.socket
  }

  get takenNow(): number {
    const socket = this.#options.socket as Socket & { readonly _handle?: { readonly writeQueueSize?: number } | null }
    // The system takes a large write in parts, which only its queue tells; Node's own timeouts look there, too.
    // oxlint-disable-next-line eslint/no-underscore-dangle -- see above
    return (socket.bytesWritten ?? 0) - (socket._handle?.writeQueueSize ?? 0)
  }

  get maxInFlight(): number {
    return this.#options.host.limits.maxInFlight
  }

  /** A paused connection reads no more than what came in one packet. */
  get maxWaitingBytes(): number {
    return Number.POSITIVE_INFINITY
  }

  get answerWaiting(): boolean {
    return true
  }

  /** The stage `limitSubscriptions` refuses one too many by an answer. */
  get maxSubscriptions(): number {
    return Number.POSITIVE_INFINITY
  }

  get closeWithinMs(): number {
    return 30_000
  }

  get clock(): Clock {
    return this.#options.host.clock
  }

  serve(): ServedSocket {
    const { host, webSocket, socket, admitted } = this.#options
    const { metrics } = admitted.network
    metrics.connections(1)
    webSocket.counts = metrics
    const framesSoFar = meterArriving(socket, webSocket, this.account, host.clock)
    readFramesInTurns(socket, webSocket, this.account, framesSoFar)
    webSocket.on('pong', () => {
      this.heard = true
    })
    webSocket.on('close', () => {
      host.upkeep.remove(this)
      host.sessions.remove(this)
      metrics.connections(-1)
    })
    host.upkeep.add(this)
    host.sessions.add(this)
    return serveSocket(admitted.network.server, webSocket, this)
  }

  createContext(session: RpcSession): GatewayContext {
    const { host, admitted, traceId, wishes } = this.#options
    const { network, principal, apiVersion } = admitted
    const timeouts = host.timeouts.at(network.name, principal.project.id)
    const holding = new Holding(this.account)
    const { metering } = host
    if (metering.version !== this.#meteredAt) {
      this.#meteredAt = metering.version
      this.#metered = metering.callerOf(principal, network.place)
    }
    // Each message is a trace of its own: a connection may last for days.
    const span = host.tracer.begin(undefined)
    const id = `${traceId}.${++this.#messages}`
    return new GatewayContext(
      { clock: host.clock, deadline: host.clock.now() + timeouts.longestMs, session },
      {
        principal,
        network: network.name,
        traceId: id,
        span,
        apiVersion,
        ...wishes,
        holding,
        timeouts,
        metered: this.#metered,
      },
    )
  }

  onSettled({ caller }: GatewayContext): void {
    caller.holding!.end()
  }

  onReply({ rejected, body }: RpcReply, context: GatewayContext): void {
    const { deadline, caller } = context
    const { host, admitted } = this.#options
    const { network } = admitted
    const begunAt = deadline - caller.timeouts!.longestMs
    const status = rejected === undefined ? 200 : statusOf(rejected)
    network.metrics.answered(status, host.clock.now() - begunAt)
    if (typeof body === 'string') noteUnread(host, body, context, status)
    if (rejected !== undefined) network.rejected(caller.traceId, rejected)
  }

  onActivity(direction: 'in' | 'out'): void {
    if (direction === 'in') this.heard = true
    this.active = true
  }

  onInternalError(err: unknown): void {
    const { host, traceId } = this.#options
    host.log.repeats.error(['message', errorClass(err)], { traceId, err }, 'a message failed inside the gateway')
  }

  sendEvent(prefix: string, result: RawJson): boolean {
    return this.#options.host.events.write(this, prefix, result)
  }

  sendText(text: string): Promise<void> {
    this.#options.host.events.flush(this)
    // A connection that breaks is known by its `close`.
    return new Promise((resolve) => void this.socket.write(printTextFrame(text), () => resolve()))
  }

  /** Sends one message in fragments, so that nothing is joined. */
  sendChunks(chunks: readonly Uint8Array[]): Promise<void> {
    this.#options.host.events.flush(this)
    return new Promise((resolve) => {
      for (const [i, chunk] of chunks.entries()) {
        const fin = i === chunks.length - 1
        this.webSocket.send(chunk, { binary: false, fin }, fin ? () => resolve() : undefined)
      }
    })
  }
}
