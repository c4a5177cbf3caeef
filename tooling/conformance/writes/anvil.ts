import { setTimeout as sleep } from 'node:timers/promises'
import { devAccounts, startAnvil } from '@wayleave/dev-node'
import { call, post, type RpcAnswer } from '../test/support/http.ts'
import type { Ledger, Reply } from './ledger.ts'
import { prepare, type Prepared } from './transactions.ts'

/** The chain of a real anvil, behind every node. */
export interface AnvilWorld extends Ledger {
  readonly chainId: number
  /** One row for each of ten senders, in the order of their nonces. */
  readonly rows: readonly (readonly Prepared[])[]
  /** Sends another transaction of the same nonce directly, unless the chain has this one. */
  readonly fill: (transaction: Prepared) => Promise<void>
}

const chainId = 31_337

export async function startAnvilWorld(count: number): Promise<AnvilWorld> {
  const anvil = await startAnvil({ name: 'writes', chainId })
  const ask = async (method: string, params: readonly unknown[]): Promise<Reply> => {
    const { text } = await post(anvil.httpUrl, call(method, params))
    const { result, error } = JSON.parse(text) as RpcAnswer
    return error === undefined ? { result } : { error }
  }
  const senders = devAccounts.slice(0, 10)
  const fillers = new Map<string, Prepared>()
  const rows: Prepared[][] = []
  for (const { privateKey } of senders) {
    const row: Prepared[] = []
    for (let nonce = 0; nonce < count / senders.length; nonce++) {
      const transaction = await prepare(privateKey as `0x${string}`, nonce, chainId, 1n)
      fillers.set(transaction.hash, await prepare(privateKey as `0x${string}`, nonce, chainId, 2n))
      row.push(transaction)
    }
    rows.push(row)
  }
  const isKnown = async ({ hash }: Prepared): Promise<boolean> =>
    (await ask('eth_getTransactionByHash', [hash])).result !== null
  return {
    chainId,
    rows,
    send: ({ raw }) => ask('eth_sendRawTransaction', [raw]),
    ask,
    isMined: async ({ hash }) => (await ask('eth_getTransactionReceipt', [hash])).result !== null,
    isKnown,
    async fill(transaction) {
      if (await isKnown(transaction)) return
      const { error } = await ask('eth_sendRawTransaction', [fillers.get(transaction.hash)!.raw])
      // It was taken in the meantime.
      if (error !== undefined) await sleep(10)
    },
    [Symbol.asyncDispose]: () => anvil.close(),
  }
}
