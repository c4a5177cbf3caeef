import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** One POST as it came, and the connection to answer it by any bytes at all. */
export interface RawPost {
  readonly socket: Socket
  /** The request line and the headers. */
  readonly head: string
  /** The ids of its calls. */
  readonly ids: readonly number[]
  /** The number of the POST on this server, from 1. */
  readonly nth: number
}

/** A server below HTTP: it reads POSTs, and answers with the bytes of `answer`. */
export interface RawServer extends AsyncDisposable {
  readonly port: number
  answer: (post: RawPost) => void
  readonly posts: readonly RawPost[]
  /** Connections that are open. */
  readonly open: ReadonlySet<Socket>
}

export async function startRawServer(): Promise<RawServer> {
  const open = new Set<Socket>()
  const posts: RawPost[] = []
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket)).on('error', () => {})
    let text = ''
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk
      for (;;) {
        const end = text.indexOf('\r\n\r\n')
        const length = Number(/content-length: (\d+)/i.exec(text)?.[1])
        if (end < 0 || text.length < end + 4 + length) return
        const body = JSON.parse(text.slice(end + 4, end + 4 + length)) as { id: number } | { id: number }[]
        const post = { socket, head: text.slice(0, end), ids: [body].flat().map(({ id }) => id), nth: posts.length + 1 }
        text = text.slice(end + 4 + length)
        posts.push(post)
        raw.answer(post)
      }
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const raw: RawServer = {
    port: (server.address() as AddressInfo).port,
    answer: () => {},
    posts,
    open,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return raw
}
