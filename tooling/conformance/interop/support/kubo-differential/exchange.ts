import { Agent, request as httpRequest } from 'node:http'

/** One request of the IPFS API. */
export interface Ask {
  readonly method?: string
  /** Below `/api/v0/`, with its query; one that begins with `/` stands for itself. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer | undefined
}

/** What a client can see of an answer. */
export interface Reported {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly streamError: string | undefined
  readonly body: Buffer
}

const watched = ['content-type', 'x-content-length', 'x-stream-output', 'x-chunked-output', 'trailer', 'allow']

/** A host, asked one request after the other. */
export interface Exchange {
  ask(ask: Ask): Promise<Reported>
  close(): void
}

/** Over one connection where it is kept: an answer that leaves it unusable fails the next request. */
export function createExchange(url: string, always: Readonly<Record<string, string>> = {}): Exchange {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const { hostname, port } = new URL(url)
  return {
    ask: ({ method = 'POST', path, headers = {}, body }) =>
      new Promise((resolve, reject) => {
        const isChunked = Object.keys(headers).some((name) => name.toLowerCase() === 'transfer-encoding')
        const sent = httpRequest({
          agent,
          host: hostname,
          port,
          method,
          path: path.startsWith('/') ? path : `/api/v0/${path}`,
          headers: { ...(isChunked ? {} : { 'Content-Length': String(body?.length ?? 0) }), ...headers, ...always },
        })
        sent.on('error', reject)
        sent.on('response', (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () => {
            const found = watched.flatMap((name) => {
              const value = response.headers[name]
              return value === undefined ? [] : [[name, String(value)] as const]
            })
            resolve({
              status: response.statusCode!,
              headers: Object.fromEntries(found),
              streamError: response.trailers['x-stream-error'],
              body: Buffer.concat(chunks),
            })
          })
        })
        sent.end(body)
      }),
    close: () => agent.destroy(),
  }
}
