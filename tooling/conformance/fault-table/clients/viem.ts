import { createPublicClient, http, type PublicClient, webSocket } from 'viem'
import type { Kind, Target } from '../questions.ts'
import { type Answer, answerOf, type TableClient } from './table-client.ts'

type Hex = `0x${string}`

/** viem with its defaults: it repeats reads that failed. */
export function viemClient(): TableClient {
  async function overSocket({ ws, account }: Target): Promise<Answer> {
    const client = createPublicClient({ transport: webSocket(ws) })
    const answer = await answerOf(client.getBalance({ address: account as Hex }))
    const socket = await client.transport.getRpcClient().catch(() => undefined)
    socket?.close()
    return answer
  }

  async function batched(client: PublicClient, { account }: Target): Promise<readonly Answer[]> {
    const address = account as Hex
    const calls = [client.getBalance({ address }), client.getTransactionCount({ address }), client.getCode({ address })]
    return Promise.all(calls.map(answerOf))
  }

  return {
    name: 'viem',
    kinds: ['read', 'batch', 'write', 'socket'],
    sends: 1,
    async ask(kind: Kind, target: Target) {
      if (kind === 'socket') return [await overSocket(target)]
      const client = createPublicClient({ transport: http(target.url, { batch: kind === 'batch' }) })
      if (kind === 'batch') return batched(client, target)
      const { account, transaction } = target
      const call =
        kind === 'read'
          ? client.getBalance({ address: account as Hex })
          : client.sendRawTransaction({ serializedTransaction: transaction as Hex })
      return [await answerOf(call)]
    },
    async [Symbol.asyncDispose]() {},
  }
}
