import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type Announced, type Announcements, type ClientTarget, fees as usualFees, type RigClient } from './client.ts'

/** A line from a client in another language: an answer to a question by its id, or an event of its subscription. */
interface Line {
  readonly id?: number
  readonly number?: number
  readonly found?: boolean
  readonly error?: string
  readonly block?: Announced
  readonly failed?: string
  readonly reconnected?: boolean
}

/**
 * Runs a client in another language, which answers the questions of {@link RigClient} as lines of JSON: `{ id, ask, arg }` to its
 * stdin, a {@link Line} from its stdout. It starts with `WS`, `URL`, `KEY`, `ADDRESS`, `CHAIN_ID` and `FEE` (wei) in its environment.
 */
export async function pipedClient(
  name: string,
  [command, ...args]: readonly [string, ...string[]],
  { url, ws, chainId, account, fees = usualFees }: ClientTarget,
): Promise<RigClient> {
  const env = {
    ...process.env,
    URL: url,
    WS: ws,
    KEY: account.privateKey,
    ADDRESS: account.address,
    CHAIN_ID: `${chainId}`,
    FEE: `${fees.maxFeePerGas}`,
  }
  const child: ChildProcess = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env })
  const waiting = new Map<number, PromiseWithResolvers<Line>>()
  let announcements: Announcements | undefined
  let complained = ''
  let id = 0
  let isClosed = false
  child.stdin!.on('error', () => {})
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (complained = (complained + text).slice(-2_000)))
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  child.once('error', (error) => (complained += error.message))
  void ended.then(() => {
    const why = new Error(`the client ended: ${complained.trim().split('\n').at(-1) ?? ''}`)
    for (const { reject } of waiting.values()) reject(why)
    waiting.clear()
    if (!isClosed) announcements?.onError(why)
  })
  createInterface({ input: child.stdout! }).on('line', (text) => {
    const line = JSON.parse(text) as Line
    if (line.block !== undefined) announcements?.onBlock(line.block)
    else if (line.failed !== undefined) announcements?.onError(new Error(line.failed))
    else if (line.reconnected === true) announcements?.onReconnect()
    else if (line.id !== undefined) {
      const asked = waiting.get(line.id)
      waiting.delete(line.id)
      if (line.error === undefined) asked?.resolve(line)
      else asked?.reject(new Error(line.error))
    }
  })

  function ask(question: string, arg?: number | string): Promise<Line> {
    const asked = Promise.withResolvers<Line>()
    if (child.exitCode !== null) return Promise.reject(new Error('the client ended'))
    waiting.set(++id, asked)
    child.stdin!.write(`${JSON.stringify({ id, ask: question, arg })}\n`)
    return asked.promise
  }
  const number = async (question: string) => ({ number: (await ask(question)).number! })

  return {
    name,
    async watch(given) {
      announcements = given
      await ask('watch')
    },
    blockNumber: () => number('blockNumber'),
    latest: () => number('latest'),
    hasBlock: async (hash) => (await ask('hasBlock', hash)).found === true,
    stateAt: async (at) => void (await ask('stateAt', at)),
    pendingNonce: () => number('pendingNonce'),
    send: async (nonce) => void (await ask('send', nonce)),
    async [Symbol.asyncDispose]() {
      isClosed = true
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}
