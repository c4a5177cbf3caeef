import { connect, type Socket } from 'node:net'
import type { BenchClock } from '../defaults.ts'
import { BenchError } from '../error.ts'
import type { Target } from '../load/connection.ts'
import { createResponseReader } from '../load/response-reader.ts'
import { createMix, type MixedRequest } from './questions.ts'

export interface MixedLoadOptions {
  readonly subject: string
  readonly target: Target
  readonly connections: number
  readonly ms: number
  readonly clock: BenchClock
  /** Begins the order of the requests. */
  readonly seed: number
}

/** How long to wait for answers after the last request could have been sent, in ms. */
const patienceMs = 20_000

/** Sends the mix over keep-alive connections for `ms`, each its next request when the last was answered. @throws BenchError on a wrong answer */
export async function runMixedLoad(options: MixedLoadOptions): Promise<{ calls: number; elapsedMs: number }> {
  const { subject, clock, ms } = options
  const next = createMix(options.seed)
  const sockets: Socket[] = []
  const start = clock.now()
  let calls = 0
  const { promise: failed, reject } = Promise.withResolvers<never>()
  failed.catch(() => {})
  const fail = (message: string): void => reject(new BenchError('wrong_answer', `${subject}, mix: ${message}`))
  const stop = clock.after(ms + patienceMs, () => fail(`no answer within ${patienceMs} ms`))

  function run(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    let asked: MixedRequest
    let body: Buffer[] = []
    const send = (): void => {
      asked = next()
      const head = `POST ${options.target.path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n`
      socket.write(`${head}content-length: ${asked.body.length}\r\n\r\n${asked.body}`, 'latin1')
    }
    const read = createResponseReader({
      // The bytes are the reader's own no longer than the call.
      body: (bytes, from, to) => void body.push(Buffer.from(bytes.subarray(from, to))),
      end(status) {
        const whole = body.length === 1 ? body[0]! : Buffer.concat(body)
        body = []
        if (status !== 200 || !asked.isAnswer(whole)) {
          const came = JSON.stringify(whole.toString('latin1', 0, 200))
          return fail(`${status} with ${came} came for ${asked.body.slice(0, 200)}`)
        }
        calls += asked.calls
        if (clock.now() - start < ms) send()
        else resolve()
      },
      fail,
    })
    const socket = connect({ port: options.target.port, host: '127.0.0.1', noDelay: true }, send)
    sockets.push(socket)
    socket.on('data', read)
    socket.on('error', ({ message }) => fail(message))
    socket.on('close', () => fail('the connection was closed'))
    return promise
  }

  try {
    await Promise.race([failed, Promise.all(Array.from({ length: options.connections }, run))])
    return { calls, elapsedMs: clock.now() - start }
  } finally {
    stop()
    for (const socket of sockets) socket.removeAllListeners('close').destroy()
  }
}
