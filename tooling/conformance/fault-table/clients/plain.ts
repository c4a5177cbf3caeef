import type { NodeError } from '../fault.ts'
import type { Kind, Target } from '../questions.ts'
import type { Answer, TableClient } from './table-client.ts'

interface Reply {
  readonly id: number | null
  readonly result?: unknown
  readonly error?: NodeError
}

/** Plain JSON-RPC by `fetch`, which shows the status. */
export function plainClient(): TableClient {
  async function post(url: string, body: unknown): Promise<{ readonly status: number; readonly reply: unknown }> {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: response.status, reply: await response.json() }
  }
  return {
    name: 'JSON-RPC',
    kinds: ['read', 'batch', 'write'],
    sends: 1,
    async ask(kind: Kind, { url, account, transaction }: Target): Promise<readonly Answer[]> {
      const call = (id: number, method: string, ...params: string[]): object => ({ jsonrpc: '2.0', id, method, params })
      if (kind !== 'batch') {
        const asked =
          kind === 'read'
            ? call(1, 'eth_getBalance', account, 'latest')
            : call(1, 'eth_sendRawTransaction', transaction)
        const { status, reply } = await post(url, asked)
        return [answerIn(reply as Reply, status)]
      }
      const calls = ['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode'].map((method, i) =>
        call(i + 1, method, account, 'latest'),
      )
      const { reply } = await post(url, calls)
      return [1, 2, 3].map((wanted) => answerIn((reply as readonly Reply[]).find(({ id }) => id === wanted)))
    },
    async [Symbol.asyncDispose]() {},
  }
}

function answerIn(reply: Reply | undefined, status?: number): Answer {
  if (reply === undefined) return { message: 'a call of the batch has no answer' }
  const { error } = reply
  return error === undefined ? { value: reply.result } : { ...error, ...(status !== undefined && { status }) }
}
