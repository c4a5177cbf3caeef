import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { StreamClient, StreamTarget, Reported } from './stream-client.ts'

/** A line of JSON from a client in another language. */
interface Line {
  readonly head?: number
  readonly log?: readonly [block: number, index: number, removed: boolean]
  readonly failed?: string
}

/** Runs a client in another language, which tells {@link Line}s on stdout. It has `WS`, `URL`, `ADDRESS` and `TOPIC` in its environment. */
export async function programClient(
  name: string,
  [command, ...args]: readonly [string, ...string[]],
  { url, ws, filter }: StreamTarget,
  reported: Reported,
): Promise<StreamClient> {
  const env = { ...process.env, URL: url, WS: ws, ADDRESS: filter.address, TOPIC: filter.topics[0] }
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env })
  let isClosed = false
  let complained = ''
  child.stdin.on('error', () => {})
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complained = (complained + text).slice(-2_000)))
  child.once('error', ({ message }) => reported.failed(message))
  child.once('close', () => {
    if (!isClosed) reported.failed(`the client ended: ${complained.trim().split('\n').at(-1) ?? ''}`)
  })
  createInterface({ input: child.stdout }).on('line', (text) => {
    const { head, log, failed } = JSON.parse(text) as Line
    if (head !== undefined) reported.head(head)
    if (log !== undefined) reported.log({ block: log[0], index: log[1], removed: log[2] })
    if (failed !== undefined) reported.failed(failed)
  })
  return {
    name,
    async [Symbol.asyncDispose]() {
      isClosed = true
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}
