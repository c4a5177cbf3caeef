import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { replyTo } from '../src/reply-to.ts'
import { type Chain, heightOf, type Json } from './chain.ts'
import type { Liar } from './liars.ts'

/** A node over HTTP. */
export interface Node extends AsyncDisposable {
  readonly url: string
  /** Calls for heads and chain excluded. */
  readonly calls: number
  /** False answers that it gave. */
  readonly lies: number
}

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

/** The wording of a node: each client has its own order of members, case of hex digits, and members beyond the others'. */
export type Wording = (truth: unknown) => unknown

export const plain: Wording = (truth) => truth

/** Turns the order of members around, adds what other nodes do not have, and counts sizes otherwise. */
export function wordy(truth: unknown): unknown {
  if (typeof truth === 'string' || truth === null) return truth
  if (Array.isArray(truth)) return truth.map(wordy)
  const members = Object.entries(truth as Json)
    .toReversed()
    .filter(([, value]) => value !== null)
  const more = 'parentHash' in (truth as Json) ? { size: '0x221', totalDifficulty: '0x0' } : {}
  return { ...Object.fromEntries(members), ...more }
}

/** Starts a node of a chain. */
export async function startNode(chain: Chain, wording: Wording, liar?: Liar): Promise<Node> {
  let calls = 0
  let lies = 0

  /** The answer's `result` or `error`, as text. */
  function answer({ method, params }: Call): string {
    if (method === 'eth_chainId') return '"result":"0x1"'
    const height = chain.height()
    if (method === 'eth_blockNumber') return `"result":"0x${height.toString(16)}"`
    const number = heightOf(chain, method, params, height)
    const isHead = method === 'eth_getBlockByNumber' && params[0] === 'latest'
    if (!isHead) calls++
    const truth = number === undefined ? undefined : chain.truth(method, params, number)
    if (truth === undefined) return '"result":null'
    const lie = isHead ? undefined : liar?.lie(truth, calls)
    if (lie === undefined) return `"result":${JSON.stringify(wording(truth))}`
    lies++
    return lie.text
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const body = await replyTo(Buffer.concat(chunks).toString(), (call: Call) => {
        return `{"jsonrpc":"2.0","id":${JSON.stringify(call.id)},${answer(call)}}`
      })
      const end = (): void => void response.setHeader('Content-Type', 'application/json').end(body)
      if (liar?.delayMs === undefined) end()
      else setTimeout(end, liar.delayMs)
    })
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get calls() {
      return calls
    },
    get lies() {
      return lies
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
