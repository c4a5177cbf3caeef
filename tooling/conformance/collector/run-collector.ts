import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createInterface } from 'node:readline'
import { freePorts } from '../two-nodes/nodes/free-ports.ts'

/** A span as it is compared: what the gateway sent, or what the collector made of it. */
export interface ComparedSpan {
  readonly service: unknown
  readonly scope: string
  readonly traceId: string
  readonly spanId: string
  /** Absent for a root. */
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: string
  /** Nanoseconds since 1970. */
  readonly start: string
  readonly end: string
  readonly status: string
  readonly message?: string
  readonly attributes: Readonly<Record<string, unknown>>
}

/** A collector behind a relay that keeps what is sent to it. */
export interface RunningCollector extends AsyncDisposable {
  /** The address for `tracing.endpoint`. */
  readonly endpoint: string
  /** The bodies that were sent, and the collector's answers. */
  readonly exports: readonly { readonly body: string; readonly status: number; readonly answer: string }[]
  /** Ends the collector, and resolves with the spans that it has printed. */
  end(): Promise<readonly ComparedSpan[]>
}

/** Starts the program of `main.go`, and a relay before it. Rejects where it does not come to listen. */
export async function startCollector(program: string): Promise<RunningCollector> {
  const [port] = await freePorts(1)
  const env = { ...process.env, ADDRESS: `127.0.0.1:${port}` }
  const child = spawn(program, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const lines: string[] = []
  const read = createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  const closed = once(read, 'close')
  await Promise.race([once(read, 'line'), exited])
  if (lines[0] !== 'ready') throw new Error('the collector ended before it was ready')

  const exports: { body: string; status: number; answer: string }[] = []
  const relay = createServer(async (request, response) => {
    const body = await text(request)
    const headers = { 'content-type': request.headers['content-type']! }
    const given = await fetch(`http://127.0.0.1:${port}${request.url}`, { method: 'POST', headers, body })
    const answer = await given.text()
    exports.push({ body, status: given.status, answer })
    response.writeHead(given.status, { 'content-type': given.headers.get('content-type')! }).end(answer)
  })
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')

  async function stop(): Promise<void> {
    child.stdin.end()
    await Promise.all([exited, closed])
    relay.closeAllConnections()
    relay.close()
  }
  return {
    endpoint: `http://127.0.0.1:${(relay.address() as AddressInfo).port}/v1/traces`,
    exports,
    async end() {
      await stop()
      return lines.slice(1).map((line) => JSON.parse(line) as ComparedSpan)
    },
    [Symbol.asyncDispose]: stop,
  }
}
