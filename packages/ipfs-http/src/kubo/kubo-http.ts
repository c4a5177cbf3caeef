import { Agent as PlainAgent, type IncomingMessage, request as plainRequest, type RequestOptions } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import type { BackendCall, ByteStream } from '../backend.ts'
import type { Clock } from '../clock.ts'
import { IpfsError, type IpfsErrorCode } from '../error.ts'

/** One call of Kubo's RPC. */
export interface KuboCall extends BackendCall {
  /** What follows `/api/v0/`. */
  readonly command: string
  readonly query: readonly (readonly [name: string, value: string])[]
  /** Of multipart/form-data. */
  readonly upload?: { readonly boundary: string; readonly bytes: ByteStream } | undefined
}

/** An answer with status 200. */
interface KuboReply {
  header(name: string): string | undefined
  /** Throws `stream_error` for a trailer that tells of one, `truncated` for a body without end. Leaving it ends the connection. */
  readonly bytes: ByteStream
}

export interface KuboHttp {
  /** @throws IpfsError `connect`, `aborted`, and what Kubo refuses */
  post(call: KuboCall): Promise<KuboReply>
  /** What a node said, without the credentials of the URL. */
  redact(text: string): string
  close(): void
}

/** Longest message of an error that is read, in bytes. */
const longestRefusal = 65_536
/** How long a node may take to tell what it has done of an upload that broke off, in ms. */
const settleMs = 5_000
/** How long a node may neither take more of an upload nor, once it has all of it, answer, in ms. */
const silenceMs = 300_000

/** Kubo's RPC over connections that are kept. Credentials of the URL travel as HTTP Basic. Redirects are refused. */
export function createKuboHttp(url: string, clock: Clock): KuboHttp {
  const base = URL.canParse(url) ? new URL(url) : undefined
  if (
    base === undefined ||
    !/^https?:$/.test(base.protocol) ||
    base.search !== '' ||
    /%(?![\da-f]{2})/i.test(base.username + base.password)
  ) {
    throw new IpfsError('bad_argument', 'url: expected the http or https URL of a Kubo RPC')
  }
  const isTls = base.protocol === 'https:'
  const agent = isTls ? new TlsAgent({ keepAlive: true }) : new PlainAgent({ keepAlive: true })
  const request = isTls ? tlsRequest : plainRequest
  const credentials = `${decodeURIComponent(base.username)}:${decodeURIComponent(base.password)}`
  const settings: RequestOptions = {
    method: 'POST',
    agent,
    hostname: base.hostname.replace(/^\[|\]$/g, ''),
    port: base.port,
    ...(credentials !== ':' && { auth: credentials }),
  }
  const root = base.pathname.replace(/(?:\/api\/v0)?\/*$/, '')
  const redact = redactorOf(base, credentials)

  function post({ command, query, upload, signal }: KuboCall): Promise<KuboReply> {
    let resolve: (reply: KuboReply) => void = () => {}
    let reject: (why: unknown) => void = () => {}
    const promise = new Promise<KuboReply>((...settle) => ([resolve, reject] = settle))
    const outgoing = request({
      ...settings,
      path: `${root}/api/v0/${command}?${new URLSearchParams(query.map(([name, value]) => [name, value]))}`,
      headers: upload && { 'content-type': `multipart/form-data; boundary=${upload.boundary}` },
      ...(upload === undefined && { signal }),
    })
    /** Why the upload cannot go on, which says more than the connection that ends with it. */
    let spoilt: { readonly why: unknown } | undefined

    /**
     * Ends an upload in the middle. Only our half of the connection ends: the node then tells of all that it has pinned so far,
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

    /** A read ends when its caller wants it to; an upload, and the pin of what it brought, have nobody else who ends them. */
    const silence = watchSilence(clock, () => spoil(new IpfsError('timeout', silent)))
    const isWatched = upload !== undefined || command.startsWith('pin/')
    outgoing.once('close', silence.stop)

    const explain = (thrown: unknown, code: IpfsErrorCode): unknown => {
      if (spoilt !== undefined) return spoilt.why
      if (thrown instanceof IpfsError) return thrown
      if (signal.aborted) return new IpfsError('aborted', 'the call was ended', { cause: signal.reason })
      return new IpfsError(code, connectionMessages[code] ?? 'the IPFS node failed', { cause: thrown })
    }

    outgoing.on('error', (thrown) => reject(explain(thrown, 'connect')))
    outgoing.on('response', (incoming) => {
      // Content of a caller may be a page, but Kubo never says so.
      if (incoming.statusCode === 200 && /^text\/html\b/i.test(incoming.headers['content-type'] ?? '')) {
        incoming.destroy()
        return reject(new IpfsError('invalid_response', 'a page came instead of the answer of an IPFS node: check url'))
      }
      if (incoming.statusCode !== 200) {
        return void refusalOf(incoming, redact).then(
          (refusal) => reject(spoilt?.why ?? refusal),
          (thrown) => reject(explain(thrown, 'truncated')),
        )
      }
      resolve({
        header: (name) => {
          const value = incoming.headers[name.toLowerCase()]
          return Array.isArray(value) ? value[0] : value
        },
        bytes: bytesOf(
          incoming,
          (thrown) => explain(thrown, 'truncated'),
          () => spoilt,
          () => {
            if (isWatched && (outgoing.writableEnded || outgoing.writableNeedDrain)) silence.begin()
            return silence.stop
          },
          redact,
        ),
      })
    })

    if (upload === undefined) {
      outgoing.end()
      if (isWatched) silence.begin()
    } else {
      const abort = (): void => spoil(new IpfsError('aborted', 'the call was ended', { cause: signal.reason }))
      signal.addEventListener('abort', abort, { once: true })
      outgoing.once('close', () => signal.removeEventListener('abort', abort))
      if (signal.aborted) abort()
      void write(upload.bytes, outgoing, silence, () => spoilt !== undefined).catch(spoil)
    }
    return promise
  }

  return { post, redact, close: () => agent.destroy() }
}

const silent = 'the IPFS node fell silent in the middle of a call'

const connectionMessages: Partial<Record<IpfsErrorCode, string>> = {
  connect: 'the IPFS node cannot be reached',
  truncated: 'the IPFS node broke off its answer',
}

/** Texts in which credentials may come back, such as the error page of a proxy that prints what it was sent. */
function redactorOf({ username, password }: URL, credentials: string): (text: string) => string {
  const secrets = [credentials, btoa(String.fromCodePoint(...Buffer.from(credentials)))]
  for (const secret of [password, decodeURIComponent(password)]) secrets.push(`${username}:${secret}`, secret)
  const known = new Set(secrets.filter((secret) => secret.length > 2))
  return (text) => [...known].reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
}

/** What is told of a silence that lasts too long. */
interface Silence {
  /** The wait for something of the node begins, or begins anew. */
  begin(): void
  /** It is over, or the caller's turn. */
  stop(): void
}

function watchSilence(clock: Clock, onSilence: () => void): Silence {
  let stop = (): void => {}
  return {
    begin() {
      stop()
      stop = clock.after(silenceMs, onSilence)
    },
    stop: () => stop(),
  }
}

async function write(
  bytes: ByteStream,
  outgoing: ReturnType<typeof plainRequest>,
  silence: Silence,
  isSpoilt: () => boolean,
): Promise<void> {
  for await (const chunk of bytes) {
    // A node that refused hears no more.
    if (outgoing.destroyed || outgoing.closed || isSpoilt()) return
    if (outgoing.write(chunk)) continue
    silence.begin()
    await drained(outgoing)
    silence.stop()
  }
  if (isSpoilt()) return
  outgoing.end()
  silence.begin()
}

function drained(outgoing: ReturnType<typeof plainRequest>): Promise<void> {
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

async function* bytesOf(
  incoming: IncomingMessage,
  explain: (thrown: unknown) => unknown,
  spoilt: () => { readonly why: unknown } | undefined,
  wait: () => () => void,
  redact: (text: string) => string,
): AsyncGenerator<Uint8Array> {
  try {
    let stop = wait()
    for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
      stop()
      yield chunk
      stop = wait()
    }
    stop()
  } catch (thrown) {
    throw explain(thrown)
  }
  const broken = spoilt()
  if (broken !== undefined) throw broken.why
  const said = incoming.trailers['x-stream-error']
  if (said !== undefined) throw errorOf(redact(said))
}

async function refusalOf(incoming: IncomingMessage, redact: (text: string) => string): Promise<IpfsError> {
  let text = ''
  for await (const chunk of incoming.setEncoding('utf8') as AsyncIterable<string>) {
    text += chunk
    if (text.length > longestRefusal) break
  }
  const { statusCode: status = 0 } = incoming
  const message = status === 500 || status === 400 ? messageOf(text) : undefined
  if (message !== undefined) return errorOf(redact(message), status)
  return new IpfsError('http_status', `the IPFS node refused with HTTP ${status}`, { status })
}

/** What a node said; undefined for what no node says, such as the page of a proxy. */
function messageOf(text: string): string | undefined {
  try {
    const { Message: message } = JSON.parse(text) as { readonly Message?: unknown }
    return typeof message === 'string' ? message : undefined
  } catch {
    return /^\s*(?:<|$)/.test(text) ? undefined : text.trim()
  }
}

const known: readonly (readonly [RegExp, IpfsErrorCode])[] = [
  [/is a directory/, 'is_directory'],
  [/not pinned|not part of the pinset/, 'not_pinned'],
  [/no link named|could not find|not found/, 'not_found'],
  [/invalid (?:path|cid)|does not have enough components/i, 'bad_argument'],
]

/** Kubo's own words: its clients match on them. */
function errorOf(said: string, status?: number): IpfsError {
  const message = said.slice(0, 1_000)
  const code = known.find(([words]) => words.test(message))?.[1] ?? 'http_status'
  return new IpfsError(code, message, { status })
}
