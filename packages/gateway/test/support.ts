import { once } from 'node:events'
import { createServer, request as openRequest } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { AdminToken } from '@wayleave/admin-api'
import type { Project } from '@wayleave/auth'
import {
  type Config,
  createLog,
  type GatewayOptions,
  type NetworkConfig,
  realSurroundings,
  type RunningGateway,
  startGateway,
} from '@wayleave/gateway'
import { rawJsonFromValue, systemClock, isStream, type RpcRequest, type RpcResponse } from '@wayleave/jsonrpc-core'
import { createLimits, createPrices } from '@wayleave/metering'
// @boundaries-ignore Nodes that tests of networks use, too, and that are in no package.
import { readAll } from '../../network/test/nodes.ts'
import { expect } from 'vitest'
import type { FixedLimits } from '../src/config/limits.ts'
import { createMetering, type Metering } from '../src/metering/metering.ts'
import type { ListenerOptions } from '../src/listener-options.ts'
import { createOperators, type Operators } from '../src/console/operators.ts'
import type { Principal } from '../src/principal.ts'
import { createCallRecorder } from '../src/trace/recorder.ts'
import { createTracer } from '../src/trace/tracer.ts'

// @boundaries-ignore As above.
export { startNode, startNodeWith, type TestNode } from '../../network/test/nodes.ts'

export const key = '0123456789abcdef0123456789abcdef'
export const secret = 'fedcba9876543210fedcba9876543210'
export const closedKey = 'closed-key'
/** The message for a caller without the secret that his project requires. */
export const secretRequired =
  'rejected due to project ID settings: send the secret by HTTP Basic with the key as user, https://KEY:SECRET@host/v3/KEY'
export const elsewhereKey = 'elsewhere-key'

export const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

/** A grace or a limit, in ms, whose end no test lives to see: what waited for it would time out. */
export const anHour = 3_600_000

/** Randomness that picks the first of equals, and waits a hundredth of each backoff: with none at all, a connection to a dead node would be tried again without end. */
const almostZero = (): number => 0.01

/** Surroundings with other values for limits that no configuration sets. */
export const withFixed = (fixedLimits: Partial<FixedLimits>): Pick<GatewayOptions, 'surroundings'> => ({
  surroundings: { ...realSurroundings, random: almostZero, fixedLimits },
})

export const frame = (method: string, params: unknown = [], id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

/** A caller of this project, from nowhere in particular. */
export const principalOf = (project: Project): Principal => ({
  project,
  keyId: 'key',
  address: '127.0.0.1',
  origin: undefined,
  userAgent: undefined,
})

/** The metering of a gateway that limits and counts nothing. */
export const unmetered: Metering = createMetering({
  prices: createPrices(),
  limits: createLimits({ clock: systemClock }),
  planOf: () => ({}),
  usage: undefined,
  metrics: { limited() {} },
})

/** The operators of an admin listener with these tokens. */
export function operatorsOf(tokens: readonly AdminToken[]): Operators {
  const { sha256, newSecret, clock } = realSurroundings
  const operators = createOperators({ sha256, newSecret, clock })
  operators.adopt(tokens)
  return operators
}

/** A URL where nobody listens, nor will: its port is the near end of a connection, which the system gives to no one else. */
export async function refusedUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  const holder = connect((server.address() as AddressInfo).port, '127.0.0.1').unref()
  await once(holder, 'connect')
  return `http://127.0.0.1:${holder.localPort}`
}

/**
 * Starts a gateway over a network `mainnet`, with an open key, one that needs its secret, and one for another network. It does not follow
 * heads, nor keep answers, unless its configuration says so, and asks the first of upstreams that are alike, unless its surroundings are given.
 */
export function startTestGateway(
  upstreams: readonly string[],
  config: Partial<Config> = {},
  options: GatewayOptions = {},
): Promise<RunningGateway> {
  const {
    networks = { mainnet: { kind: 'evm', chainId: 1, upstreams }, other: { kind: 'evm', chainId: 2, upstreams } },
  } = config
  return startGateway(
    {
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
      defaultNetwork: 'mainnet',
      // A test that does not look at the cache counts the calls of callers.
      cache: false,
      projects: [
        { name: 'open', keys: [{ key, secret }] },
        { name: 'closed', requireSecret: true, keys: [{ key: closedKey, secret }] },
        { name: 'elsewhere', networks: ['other'], keys: [{ key: elsewhereKey }] },
      ],
      ...config,
      // A test that does not look at heads counts the calls of callers alone.
      networks: Object.fromEntries(
        Object.entries(networks).map(([name, network]) => [name, { followHeads: false, ...unprobed(network) }]),
      ),
    },
    {
      log: createLog({ level: 'silent' }),
      ...options,
      surroundings: { ...realSurroundings, random: almostZero, ...options.surroundings },
    },
  )
}

/** A network whose upstreams are not asked for their history, unless they say so. */
function unprobed(network: NetworkConfig): NetworkConfig {
  if (network.kind !== 'evm' || network.followHeads !== true) return network
  const upstreams = network.upstreams.map((upstream) =>
    typeof upstream === 'string' ? { url: upstream, probe: false } : { probe: false, ...upstream },
  )
  return { ...network, upstreams }
}

/** A TCP connection that sends what it is told and keeps what comes. */
export interface RawConnection {
  readonly socket: Socket
  readonly text: string
  readonly ended: boolean
  send(text: string | Buffer): void
  /** Waits until the text that came matches. */
  saw(pattern: RegExp): Promise<string>
  /** Waits until the other side has ended the connection. */
  whole(): Promise<string>
}

export function rawConnection(url: string): RawConnection {
  const { hostname, port } = new URL(url)
  // The client's half stays open, as an attacker's would.
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  let text = ''
  let ended = false
  const waiting: (() => void)[] = []
  const wake = (): void => {
    for (const resolve of waiting.splice(0)) resolve()
  }
  async function waitFor(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => waiting.push(resolve))
  }
  socket.setEncoding('latin1')
  // A long text is searched less often: a search of all of it at each chunk takes ten seconds for 20 MB.
  let later: NodeJS.Timeout | undefined
  socket.on('data', (chunk: string) => {
    text += chunk
    if (text.length < 2 ** 20) wake()
    else {
      later ??= setTimeout(
        () => {
          later = undefined
          wake()
        },
        text.length / 2 ** 17,
      )
    }
  })
  for (const event of ['error', 'end', 'close']) {
    socket.on(event, () => {
      ended = true
      wake()
    })
  }

  return {
    socket,
    get text() {
      return text
    },
    get ended() {
      return ended
    },
    send: (bytes) => void socket.write(bytes),
    async saw(pattern) {
      await waitFor(() => pattern.test(text) || ended)
      if (!pattern.test(text)) throw new Error(`${String(pattern)} never came, but: ${text}`)
      return text
    },
    async whole() {
      await waitFor(() => ended)
      socket.destroy()
      return text
    },
  }
}

/** Sends one request as it stands, and gives all that comes until the connection ends. */
export function exchange(url: string, text: string | Buffer): Promise<string> {
  const connection = rawConnection(url)
  connection.send(text)
  return connection.whole()
}

/** The text of a POST request; `close` in its headers ends the connection after the answer. */
export function post(
  path: string,
  body: string,
  headers: readonly string[] = ['Host: 127.0.0.1', 'Connection: close'],
): string {
  return [`POST ${path} HTTP/1.1`, ...headers, `Content-Length: ${Buffer.byteLength(body)}`, '', body].join('\r\n')
}

export interface Answer {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly body: string
}

/**
 * Reads a JSON-RPC answer, or each one of a batch, without the trace id, which the data of its error must hold; that of a call of a batch
 * or of a connection has its place behind it. Errors of nodes hold none: compare these as they come.
 */
export function untraced(reported: unknown, traceId: unknown): unknown {
  expect(traceId).toMatch(/^[\da-f]{32}$/)
  if (Array.isArray(reported)) return reported.map((one) => untraced(one, traceId))
  const { error, ...rest } = reported as { readonly error?: { readonly data?: object } }
  if (error === undefined) return reported
  const { data, ...own } = error
  const { traceId: held, ...others } = { ...data } as { readonly traceId?: unknown }
  expect(String(held).replace(/(?:\.\d+)+$/, '')).toBe(traceId)
  return { ...rest, error: Object.keys(others).length === 0 ? own : { ...own, data: others } }
}

/** The body of an answer without its trace id, as by {@link untraced}. */
export const reportedBy = ({ body, headers }: Answer): unknown => untraced(JSON.parse(body), headers['x-trace-id'])

/** The same of an answer to `fetch`. */
export const reportedByFetch = async (response: Response): Promise<unknown> =>
  untraced(await response.json(), response.headers.get('x-trace-id'))

/** The text of an answer, head and all, with its trace id replaced wherever it stands. */
export function masked(text: string): string {
  const [, traceId = ''] = /\r\nX-Trace-Id: ([\da-f]{32})\r\n/.exec(text) ?? []
  expect(traceId).not.toBe('')
  return text.replaceAll(traceId, '<id>')
}

/** One request with exactly these headers; a POST where it has a body. */
export function send(
  url: string,
  path: string,
  options: {
    method?: string
    headers?: Record<string, string>
    body?: string | Buffer
    signal?: AbortSignal | undefined
  } = {},
): Promise<Answer> {
  const { body, method = body === undefined ? 'GET' : 'POST', headers = {}, signal } = options
  return new Promise((resolve, reject) => {
    const outgoing = openRequest(
      url,
      { path, method, headers, agent: false, ...(signal && { signal }) },
      (response) => {
        readAll(response).then(
          (bytes) => resolve({ status: response.statusCode!, headers: response.headers, body: bytes.toString() }),
          reject,
        )
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

/** The parts of a listener that trace calls, with nothing exported. */
export function untracedParts(): Pick<ListenerOptions, 'recorder' | 'tracer'> {
  const { random, newTraceId, clock } = realSurroundings
  const log = createLog({ level: 'silent' })
  return {
    recorder: createCallRecorder({ clock }),
    tracer: createTracer({ random, newTraceId, clock, log, onDropped: () => {} }),
  }
}

export const call = (method: string, params: unknown = []): RpcRequest => ({
  method,
  params: rawJsonFromValue(params),
  notification: false,
})

/** The result of a response, parsed. */
export function resultOf(response: RpcResponse): unknown {
  if (response.result === undefined || isStream(response.result)) throw new Error('a whole result was expected')
  return response.result.value()
}

export async function rejectionOf(promise: Promise<unknown>): Promise<Error> {
  return (await promise.then(
    () => new Error('it resolved'),
    (why: unknown) => why,
  )) as Error
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Waits until `holds`; fails after fifteen seconds, which only say that it never will. */
export async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 3_000; i++) {
    if (holds()) return
    await sleep(5)
  }
  throw new Error(`it never came true: ${String(holds)}`)
}
