import {
  Agent as PlainAgent,
  type ClientRequest,
  type IncomingMessage,
  request as plainRequest,
  type RequestOptions,
} from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import type { BackendCall, ByteStream } from '../backend.ts'
import { linesOf } from '../client/lines.ts'
import type { Clock } from '../clock.ts'
import { basicToken, createRedactor } from '../credentials.ts'
import { IpfsError, type IpfsErrorCode } from '../error.ts'
import { nodeError, refusalOf } from './kubo-refusal.ts'

/** One call of Kubo's RPC. */
export interface KuboCall extends BackendCall {
  /** The name after `/api/v0/`. */
  readonly command: string
  readonly query: readonly (readonly [name: string, value: string])[]
  /** A body of multipart/form-data. */
  readonly upload?: { readonly boundary: string; readonly bytes: ByteStream } | undefined
}

/** An answer with status 200. */
interface KuboReply {
  header(name: string): string | undefined
  /** Throws `truncated` for a body that breaks off, and the error that a trailer reports. Leaving it ends the connection. */
  readonly bytes: ByteStream
}

/** Kubo's RPC as answers of JSON and streams of bytes. */
export interface KuboRpc {
  /** @throws IpfsError `connect`, `aborted`, and what Kubo refuses */
  post(call: KuboCall): Promise<KuboReply>
  lines(call: KuboCall): AsyncGenerator<Record<string, unknown>>
  /** The last line of an answer. Rejects with `truncated` if it lacks `member`: an error in the trailer may have got lost on the way. */
  answer(call: KuboCall, member: string): Promise<Record<string, unknown>>
  /** Resolves with the bytes once the first of them, or their end, is here. */
  stream(call: KuboCall): Promise<ByteStream>
  close(): void
}

/** How long a node may take to report the part of an upload that it did before it broke off, in ms. */
const settleMs = 5_000
/** How long a node may neither take more of an upload nor, once it has all of it, answer, in ms. */
const silenceMs = 300_000

/**
 * Connects to Kubo's RPC and keeps the connections. Credentials of the URL travel as HTTP Basic. Redirects are refused.
 * @throws IpfsError `bad_argument` for a text that is no URL of an RPC
 */
export function createKuboRpc(
  url: string,
  clock: Clock,
  redactFurther: (text: string) => string = (text) => text,
): KuboRpc {
  const { settings, root, redact: redactOwn, request, agent } = connectionTo(url)
  const redact = (text: string): string => redactOwn(redactFurther(text))

  async function post(call: KuboCall): Promise<KuboReply> {
    const { command, query, upload, signal } = call
    const outgoing = request({
      ...settings,
      path: `${root}/api/v0/${command}?${new URLSearchParams(query.map(([name, value]) => [name, value]))}`,
      headers: upload && { 'content-type': `multipart/form-data; boundary=${upload.boundary}` },
      ...(upload === undefined && { signal }),
    })
    const exchange = createExchange(outgoing, call, clock)
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.on('response', resolve)
      outgoing.on('error', (thrown) => reject(exchange.explain(thrown, 'connect')))
    })
    exchange.send()
    return replyOf(await answered, exchange, redact)
  }

  async function* lines(call: KuboCall): AsyncGenerator<Record<string, unknown>> {
    yield* linesOf((await post(call)).bytes, redact)
  }

  return {
    post,
    lines,
    async answer(call, member) {
      let last: Record<string, unknown> | undefined
      for await (const line of lines(call)) last = line
      if (last === undefined) throw new IpfsError('invalid_response', `the IPFS node gave no answer to ${call.command}`)
      if (!(member in last))
        throw new IpfsError('invalid_response', `the IPFS node left out the end of ${call.command}`)
      return last
    },
    stream: async (call) => (await post(call)).bytes,
    close: () => agent.destroy(),
  }
}

interface Connection {
  readonly settings: RequestOptions
  /** The path before `/api/v0`. */
  readonly root: string
  /** Removes credentials from a text in which a node, or the error page of a proxy, may repeat them. */
  readonly redact: (text: string) => string
  readonly request: typeof plainRequest
  readonly agent: PlainAgent
}

function connectionTo(url: string): Connection {
  const base = URL.canParse(url) ? new URL(url) : undefined
  if (
    base === undefined ||
    !/^https?:$/.test(base.protocol) ||
    base.search !== '' ||
    /%(?![\da-f]{2})/i.test(base.username + base.password)
  ) {
    throw new IpfsError('bad_argument', 'url: expected the http or https URL of a Kubo RPC')
  }
  const { username, password } = base
  const isTls = base.protocol === 'https:'
  const agent = isTls ? new TlsAgent({ keepAlive: true }) : new PlainAgent({ keepAlive: true })
  const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)]
  const auth = `${user}:${secret}`
  const settings: RequestOptions = {
    method: 'POST',
    agent,
    hostname: base.hostname.replace(/^\[|\]$/g, ''),
    port: base.port,
    ...(auth !== ':' && { auth }),
  }
  const secrets = [auth, basicToken(user, secret), `${username}:${password}`, password, `${username}:${secret}`, secret]
  return {
    settings,
    root: base.pathname.replace(/(?:\/api\/v0)?\/*$/, ''),
    redact: createRedactor(secrets, 3),
    request: isTls ? tlsRequest : plainRequest,
    agent,
  }
}

/** One request under way, and the reason if it cannot go on. */
interface Exchange {
  /** Sends the request. An upload goes at the node's pace. */
  send(): void
  /** The node has to act, unless it can take more of the request first: after `silenceMs` the exchange ends. Reads are not watched. */
  nodeActs(): void
  /** The caller has to act, and may take its time. */
  callerActs(): void
  /** The error to report for one that the connection threw; `code` if there is no better reason. */
  explain(thrown: unknown, code: IpfsErrorCode): unknown
  /** The reason why an upload cannot go on. It says more than the connection that ends with it. */
  readonly spoilt: { readonly why: unknown } | undefined
}

function createExchange(outgoing: ClientRequest, { command, upload, signal }: KuboCall, clock: Clock): Exchange {
  // A read ends when its caller wants it to. An upload, and the pin of its content, have nobody else who ends them.
  const isWatched = upload !== undefined || command.startsWith('pin/')
  let spoilt: Exchange['spoilt']
  let stopWatch = (): void => {}

  /**
   * Ends an upload in the middle. Only our half of the connection ends: the node then reports all that it has pinned so far,
   * which nobody could unpin otherwise.
   */
  function spoil(why: unknown): void {
    if (spoilt !== undefined) return
    spoilt = { why }
    if (outgoing.socket?.readyState === 'open') outgoing.socket.end()
    else outgoing.destroy()
    outgoing.once(
      'close',
      clock.after(settleMs, () => outgoing.destroy()),
    )
  }

  function callerActs(): void {
    stopWatch()
  }

  function nodeActs(): void {
    if (!isWatched || !(outgoing.writableEnded || outgoing.writableNeedDrain)) return
    stopWatch()
    stopWatch = clock.after(silenceMs, () =>
      spoil(new IpfsError('timeout', 'the IPFS node fell silent in the middle of a call')),
    )
  }

  async function write(bytes: ByteStream): Promise<void> {
    for await (const chunk of bytes) {
      // A node that has refused reads no more.
      if (outgoing.destroyed || outgoing.closed || spoilt !== undefined) return
      if (outgoing.write(chunk)) continue
      nodeActs()
      await drained(outgoing)
      callerActs()
    }
    if (spoilt === undefined) end()
  }

  function end(): void {
    outgoing.end()
    nodeActs()
  }

  outgoing.once('close', callerActs)
  return {
    send() {
      if (upload === undefined) return end()
      const abort = (): void => spoil(endedBy(signal))
      signal.addEventListener('abort', abort, { once: true })
      outgoing.once('close', () => signal.removeEventListener('abort', abort))
      if (signal.aborted) abort()
      void write(upload.bytes).catch(spoil)
    },
    nodeActs,
    callerActs,
    explain(thrown, code) {
      if (spoilt !== undefined) return spoilt.why
      if (thrown instanceof IpfsError) return thrown
      if (signal.aborted) return endedBy(signal)
      return new IpfsError(code, connectionMessages[code] ?? 'the IPFS node failed', { cause: thrown })
    },
    get spoilt() {
      return spoilt
    },
  }
}

const connectionMessages: Partial<Record<IpfsErrorCode, string>> = {
  connect: 'the IPFS node cannot be reached',
  truncated: 'the IPFS node broke off its answer',
}

function endedBy({ reason }: AbortSignal): IpfsError {
  return new IpfsError('aborted', 'the call was ended', { cause: reason })
}

function drained(outgoing: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      outgoing.off('drain', go)
      outgoing.off('close', go)
      resolve()
    }
    outgoing.on('drain', go)
    outgoing.on('close', go)
    if (outgoing.destroyed) go()
  })
}

async function replyOf(
  incoming: IncomingMessage,
  exchange: Exchange,
  redact: (text: string) => string,
): Promise<KuboReply> {
  // Content may be a page, but Kubo never declares it as one.
  if (incoming.statusCode === 200 && /^text\/html\b/i.test(incoming.headers['content-type'] ?? '')) {
    incoming.destroy()
    throw new IpfsError('invalid_response', 'a page came instead of the answer of an IPFS node: check url')
  }
  if (incoming.statusCode !== 200) {
    const refusal = await refusalOf(incoming, redact).catch((thrown: unknown) => exchange.explain(thrown, 'truncated'))
    throw exchange.spoilt?.why ?? refusal
  }
  return {
    header(name) {
      const value = incoming.headers[name.toLowerCase()]
      return Array.isArray(value) ? value[0] : value
    },
    bytes: bytesOf(incoming, exchange, redact),
  }
}

async function* bytesOf(
  incoming: IncomingMessage,
  exchange: Exchange,
  redact: (text: string) => string,
): AsyncGenerator<Uint8Array> {
  try {
    exchange.nodeActs()
    for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
      exchange.callerActs()
      yield chunk
      exchange.nodeActs()
    }
    exchange.callerActs()
  } catch (thrown) {
    throw exchange.explain(thrown, 'truncated')
  }
  if (exchange.spoilt !== undefined) throw exchange.spoilt.why
  const said = incoming.trailers['x-stream-error']
  if (said !== undefined) throw nodeError(redact(said))
}
