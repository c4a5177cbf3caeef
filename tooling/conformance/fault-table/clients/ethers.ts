import { type AbstractProvider, JsonRpcProvider, WebSocketProvider } from 'ethers'
import type { Kind, Target } from '../questions.ts'
import { type Answer, answerOf, type TableClient } from './table-client.ts'

/** Without a known network ethers asks for it for ever, and never ends a call while it has no answer. */
const known = [1, { staticNetwork: true }] as const

/** ethers; it puts calls of the same moment into one batch. */
export function ethersClient(): TableClient {
  async function ask(kind: Kind, provider: AbstractProvider, { account, transaction }: Target) {
    if (kind === 'write') return [await answerOf(provider.broadcastTransaction(transaction).then(({ hash }) => hash))]
    const calls: Promise<unknown>[] = [provider.getBalance(account)]
    if (kind === 'batch') calls.push(provider.getTransactionCount(account), provider.getCode(account))
    return Promise.all(calls.map(answerOf))
  }
  return {
    name: 'ethers',
    kinds: ['read', 'batch', 'write', 'socket'],
    sends: 1,
    async ask(kind, target): Promise<readonly Answer[]> {
      const provider =
        kind === 'socket' ? new WebSocketProvider(target.ws, ...known) : new JsonRpcProvider(target.url, ...known)
      try {
        return await ask(kind, provider, target)
      } finally {
        await provider.destroy()
      }
    },
    async [Symbol.asyncDispose]() {},
  }
}
