import type { Authenticate, AuthResult, Project } from '@wayleave/auth'
import { type Clock, RpcError, type RpcServer } from '@wayleave/jsonrpc-core'
import type { GatewayContext } from './context.ts'
import { authAnswer, type HttpAnswer, jsonAnswer } from './errors.ts'
import type { GasService } from './gas/gas-service.ts'
import type { Streams } from './listeners/streams.ts'
import type { Log } from './log.ts'
import type { NetworkMetrics } from './metrics.ts'
import type { Dialects } from './networks/network-kind.ts'
import type { Probe } from './probe.ts'
import type { CallRoute, LostRoute, Route } from './routes/route.ts'

/** What can be asked whether it serves. */
export interface Probed {
  readonly name: string
  /** Why it cannot serve now; empty where it can. */
  readonly probe: Probe
}

/** One network as the listeners see it. */
export interface ServedNetwork extends Probed {
  readonly server: RpcServer<GatewayContext>
  readonly metrics: NetworkMetrics
  /** Present where callers may choose among versions of the interface. */
  readonly dialects?: Pick<Dialects, 'segments' | 'ofSegment'> | undefined
}

/** What the listeners share. */
export interface Serving {
  readonly networks: ReadonlyMap<string, ServedNetwork>
  /** The networks, and the IPFS API where it is served. */
  readonly probed: Iterable<Probed>
  readonly defaultNetwork: string | undefined
  /** What to tell who asks for a network that could be here and is not. */
  readonly absentNetworks?: ReadonlyMap<string, string> | undefined
  readonly authenticate: Authenticate
  readonly route: (url: string, host: string) => Route
  /** Refuses what comes from web pages and names of elsewhere. */
  readonly onlyLocal: boolean
  readonly clock: Clock
  readonly newTraceId: () => string
  /** Hears of bytes of large answers that have passed. */
  readonly onPassed: (bytes: number) => void
  /** Hears of each refusal before a call, with its HTTP status. */
  readonly refused: (status: number) => void
  readonly log: Log
  readonly limits: Limits
  readonly gas: GasService
  /** Hears of each answer of the gas API: the slug of its network, where it names one, its endpoint and HTTP status. */
  readonly gasAnswered: (network: string | undefined, endpoint: string, status: number) => void
  readonly streams: Streams
}

interface Limits {
  /** For an answer to begin, and then for its next part. */
  readonly requestTimeoutMs: number
  readonly maxBodyBytes: number
  readonly maxInFlight: number
  readonly webSocketPingMs: number
  readonly webSocketIdleMs: number
}

/** Who calls which network. */
export interface Admitted {
  readonly network: ServedNetwork
  readonly project: Project
  /** What the caller speaks, where his path says it. */
  readonly dialect: string | undefined
}

/** Who calls, or what to answer instead. */
export type Admission = Admitted | HttpAnswer

/** Finds the network of a route and who calls. Synchronous where the key store is. */
export function admit(
  serving: Serving,
  route: CallRoute,
  authorization: string | undefined,
): Admission | Promise<Admission> {
  const name = route.network ?? serving.defaultNetwork
  const network = name === undefined ? undefined : serving.networks.get(name)
  if (network === undefined) return unknownNetwork(name, serving.absentNetworks)
  const dialect = route.dialect === undefined ? undefined : network.dialects?.ofSegment(route.dialect)
  if (route.dialect !== undefined && dialect === undefined) return unknownDialect(network, route.dialect)
  const result = serving.authenticate(route.key, authorization)
  return result instanceof Promise
    ? result.then((auth) => admitted(network, dialect, auth))
    : admitted(network, dialect, result)
}

function admitted(network: ServedNetwork, dialect: string | undefined, auth: AuthResult): Admission {
  return auth.failure === undefined ? { network, project: auth.project, dialect } : authAnswer(auth.failure)
}

function unknownDialect({ name, dialects }: ServedNetwork, segment: string): HttpAnswer {
  const message =
    dialects === undefined
      ? `${name} has no versions to choose from; leave out what follows the key`
      : `unknown version ${printable(segment)} of ${name}; use one of ${dialects.segments.join(', ')}`
  return jsonAnswer(404, { code: -32600, message })
}

/** Names the network that was asked for, and none that is here: the caller is not known yet. */
function unknownNetwork(name: string | undefined, absent: Serving['absentNetworks']): HttpAnswer {
  if (name === undefined) {
    return jsonAnswer(404, { code: -32002, message: 'no network was named; use /<network>/v3/<key> or its host' })
  }
  const why = absent?.get(name)
  const message = `unknown network ${printable(name)}${why === undefined ? '' : `: ${why}`}`
  return jsonAnswer(404, { code: -32002, message })
}

/** The answer to a request from elsewhere, where only this machine is served. */
export const foreigner: HttpAnswer = jsonAnswer(403, {
  code: -32002,
  message: 'only programs and pages of this machine are served (localhost or a loopback address as host and origin)',
})

/** The answer to a request that names two hosts. */
export const twoHosts: HttpAnswer = jsonAnswer(400, { code: -32600, message: 'expected one Host header, got several' })

/** The answer to a path that leads nowhere. */
export function nowhere({ version }: LostRoute): HttpAnswer {
  const message =
    version === undefined
      ? 'no such path; JSON-RPC is at /v3/<key>, WebSocket at /ws/v3/<key>'
      : `unknown version ${printable(version)}; use v3`
  return jsonAnswer(404, { code: -32600, message })
}

function printable(text: string): string {
  return JSON.stringify(text.slice(0, 64))
}

/** Cancels work whose caller has gone. */
export const callerLeft: RpcError = new RpcError('aborted', 'the caller closed the connection')
