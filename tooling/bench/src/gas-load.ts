import { connect, type Socket } from 'node:net'
import type { BenchClock } from './defaults.ts'
import { BenchError } from './error.ts'
import { createResponseReader } from './load/response-reader.ts'

export interface GasLoadOptions {
  /** Its name in failures. */
  readonly subject: string
  readonly port: number
  /** The whole GET request, its empty line included. */
  readonly request: string
  /** The body that every answer must have. */
  readonly body: Buffer
  readonly connections: number
  readonly clock: BenchClock
}

/** Keep-alive connections that send the same GET again and again. */
export interface GasLoad {
  /** Sends for `ms` milliseconds; each connection sends when its last call was answered. @throws BenchError on a wrong answer */
  closedLoop(ms: number): Promise<{ readonly calls: number }>
  close(): void
}

/** How long to wait for answers after the last call could have been sent, in ms. */
const patienceMs = 20_000

/** Connects; every answer is compared byte by byte. @throws BenchError `subject` if a connection is refused */
export async function openGasLoad(options: GasLoadOptions): Promise<GasLoad> {
  const { subject, clock, connections } = options
  let answered: (socket: Socket) => void = () => {}
  let failed: (error: BenchError) => void = () => {}
  let broken: BenchError | undefined
  const onFail = (message: string): void => {
    broken ??= new BenchError('wrong_answer', `${subject}, ${firstLine(options.request)}: ${message}`)
    failed(broken)
  }
  const sockets = await Promise.all(
    Array.from({ length: connections }, () => open(options, (socket) => answered(socket), onFail)),
  )
  return {
    closedLoop(ms) {
      return new Promise((resolve, reject) => {
        const stop = clock.after(ms + patienceMs, () => onFail(`no answer within ${patienceMs} ms`))
        failed = (error) => {
          stop()
          reject(error)
        }
        if (broken !== undefined) return failed(broken)
        const start = clock.now()
        let calls = 0
        let flying = sockets.length
        answered = (socket) => {
          calls++
          if (clock.now() - start < ms) socket.write(options.request, 'latin1')
          else if (--flying === 0) {
            stop()
            resolve({ calls })
          }
        }
        for (const socket of sockets) socket.write(options.request, 'latin1')
      })
    },
    close() {
      failed = () => {}
      for (const socket of sockets) socket.destroy()
    },
  }
}

function open(
  { subject, port, body }: GasLoadOptions,
  onAnswer: (socket: Socket) => void,
  onFail: (message: string) => void,
): Promise<Socket> {
  let position = 0
  const read = createResponseReader({
    body(bytes, from, to) {
      const size = to - from
      const end = position + size
      if (end > body.length || bytes.compare(body, position, end, from, to) !== 0) {
        onFail(`another answer was expected, ${JSON.stringify(bytes.toString('latin1', from, to).slice(0, 200))} came`)
      }
      position = end
    },
    end(status) {
      if (status !== 200) return onFail(`status 200 was expected, ${status} came`)
      if (position !== body.length)
        return onFail(`an answer of ${body.length} bytes was expected, one of ${position} came`)
      position = 0
      onAnswer(socket)
    },
    fail: onFail,
  })
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.on('data', read)
  return new Promise((resolve, reject) => {
    socket.once('connect', () => {
      socket.on('error', ({ message }) => onFail(message))
      socket.on('end', () => onFail('the connection ended'))
      resolve(socket)
    })
    socket.once('error', (cause) =>
      reject(new BenchError('subject', `${subject} does not accept connections on port ${port}`, { cause })),
    )
  })
}

function firstLine(request: string): string {
  return request.slice(0, request.indexOf(' HTTP/'))
}
