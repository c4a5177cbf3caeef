import { Agent as PlainAgent, type IncomingMessage, request as plainRequest, type RequestOptions } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import type { BackendCall, ByteStream } from '../backend.ts'
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
export interface KuboReply {
  header(name: string): string | undefined
  /** Throws `stream_error` for a trailer that tells of one, `truncated` for a body without end. Leaving it ends the connection. */
  readonly bytes: ByteStream
}

export interface KuboHttp {
  /** @throws IpfsError `connect`, `aborted`, and what Kubo refuses */
  post(call: KuboCall): Promise<KuboReply>
  close(): void
}

/** Longest message of an error that is read, in bytes. */
const longestRefusal = 65_536

/** Kubo's RPC over connections that are kept. Credentials of the URL travel as HTTP Basic. */
export function createKuboHttp(url: string): KuboHttp {
  const base = URL.canParse(url) ? new URL(url) : undefined
  if (base === undefined || !/^https?:$/.test(base.protocol)) {
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
  const root = base.pathname.replace(/\/+$/, '')

  function post({ command, query, upload, signal }: KuboCall): Promise<KuboReply> {
    let resolve: (reply: KuboReply) => void = () => {}
    let reject: (why: unknown) => void = () => {}
    const promise = new Promise<KuboReply>((...settle) => ([resolve, reject] = settle))
    const outgoing = request({
      ...settings,
      path: `${root}/api/v0/${command}?${new URLSearchParams(query.map(([name, value]) => [name, value]))}`,
      headers: upload && { 'content-type': `multipart/form-data; boundary=${upload.boundary}` },
      signal,
    })
    /** Why the upload cannot go on, which says more than the connection that ends with it. */
    let spoilt: { readonly why: unknown } | undefined

    const explain = (thrown: unknown, code: IpfsErrorCode): unknown => {
      if (spoilt !== undefined) return spoilt.why
      if (thrown instanceof IpfsError) return thrown
      if (signal.aborted) return new IpfsError('aborted', 'the call was ended', { cause: signal.reason })
      return new IpfsError(code, connectionMessages[code] ?? 'the IPFS node failed', { cause: thrown })
    }

    outgoing.on('error', (thrown) => reject(explain(thrown, 'connect')))
    outgoing.on('response', (incoming) => {
      if (incoming.statusCode !== 200) return void refusalOf(incoming).then(reject, reject)
      resolve({
        header: (name) => {
          const value = incoming.headers[name.toLowerCase()]
          return Array.isArray(value) ? value[0] : value
        },
        bytes: bytesOf(incoming, (thrown) => explain(thrown, 'truncated')),
      })
    })

    if (upload === undefined) outgoing.end()
    else {
      void write(upload.bytes, outgoing).catch((why: unknown) => {
        spoilt = { why }
        reject(why)
        outgoing.destroy()
      })
    }
    return promise
  }

  return { post, close: () => agent.destroy() }
}

const connectionMessages: Partial<Record<IpfsErrorCode, string>> = {
  connect: 'the IPFS node cannot be reached',
  truncated: 'the IPFS node broke off its answer',
}

async function write(bytes: ByteStream, outgoing: ReturnType<typeof plainRequest>): Promise<void> {
  for await (const chunk of bytes) {
    // A node that refused hears no more.
    if (outgoing.destroyed || outgoing.closed) return
    if (!outgoing.write(chunk)) await drained(outgoing)
  }
  outgoing.end()
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

async function* bytesOf(incoming: IncomingMessage, explain: (thrown: unknown) => unknown): AsyncGenerator<Uint8Array> {
  try {
    yield* incoming as AsyncIterable<Uint8Array>
  } catch (thrown) {
    throw explain(thrown)
  }
  const said = incoming.trailers['x-stream-error']
  if (said !== undefined) throw errorOf(said)
}

async function refusalOf(incoming: IncomingMessage): Promise<IpfsError> {
  let text = ''
  for await (const chunk of incoming.setEncoding('utf8') as AsyncIterable<string>) {
    text += chunk
    if (text.length > longestRefusal) break
  }
  const { statusCode: status = 0 } = incoming
  if (status === 500 || status === 400) return errorOf(messageOf(text), status)
  return new IpfsError('http_status', `the IPFS node refused with HTTP ${status}`, { status })
}

function messageOf(text: string): string {
  try {
    return String((JSON.parse(text) as { readonly Message: unknown }).Message)
  } catch {
    return text.trim()
  }
}

const known: readonly (readonly [RegExp, IpfsErrorCode])[] = [
  [/is a directory/, 'is_directory'],
  [/not pinned/, 'not_pinned'],
  [/no link named|could not find|not found/, 'not_found'],
  [/invalid (?:path|cid)|does not have enough components/i, 'bad_argument'],
]

/** Kubo's own words: its clients match on them. */
function errorOf(said: string, status?: number): IpfsError {
  const message = said.slice(0, 1_000)
  const code = known.find(([words]) => words.test(message))?.[1] ?? 'http_status'
  return new IpfsError(code, message, { status })
}
