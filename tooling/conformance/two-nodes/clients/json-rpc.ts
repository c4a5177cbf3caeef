import { setTimeout as sleep } from 'node:timers/promises'
import { Wallet } from 'ethers'
import { type Answer, type ClientTarget, fees as usualFees, receiver, type RigClient } from './client.ts'

const pollMs = 250
const timeoutMs = 30_000

/** Plain JSON-RPC over HTTP. It knows which upstream answered. */
export async function jsonRpcClient({ url, chainId, account, fees = usualFees }: ClientTarget): Promise<RigClient> {
  const wallet = new Wallet(account.privateKey)
  const closing = new AbortController()
  const { signal } = closing
  let id = 0

  async function ask<T>(method: string, ...params: unknown[]): Promise<{ result: T; from: string | undefined }> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const { result, error } = (await response.json()) as { result: T; error?: { code: number; message: string } }
    if (error !== undefined) throw new Error(error.message)
    return { result, from: response.headers.get('x-wayleave-upstream') ?? undefined }
  }

  const numberOf = async (method: string, ...params: unknown[]): Promise<Answer> => {
    const { result, from } = await ask<string>(method, ...params)
    return { number: Number(result), from }
  }

  return {
    name: 'json-rpc',
    async watch({ onBlock, onError }) {
      void (async () => {
        let last: string | undefined
        while (!signal.aborted) {
          try {
            const { result } = await ask<{ number: string; hash: string }>('eth_getBlockByNumber', 'latest', false)
            if (result.hash !== last) onBlock({ number: Number(result.number), hash: result.hash })
            last = result.hash
          } catch (why) {
            if (!signal.aborted) onError(why)
          }
          await sleep(pollMs, undefined, { signal }).catch(() => {})
        }
      })()
    },
    blockNumber: () => numberOf('eth_blockNumber'),
    async latest() {
      const { result, from } = await ask<{ number: string }>('eth_getBlockByNumber', 'latest', false)
      return { number: Number(result.number), from }
    },
    hasBlock: async (hash) => (await ask<object | null>('eth_getBlockByHash', hash, false)).result !== null,
    async stateAt(number) {
      await ask('eth_getBalance', account.address, `0x${number.toString(16)}`)
    },
    pendingNonce: () => numberOf('eth_getTransactionCount', account.address, 'pending'),
    async send(nonce) {
      const request = { to: receiver, value: 1n, gasLimit: 21_000n, nonce, type: 2, chainId, ...fees }
      await ask('eth_sendRawTransaction', await wallet.signTransaction(request))
    },
    async [Symbol.asyncDispose]() {
      closing.abort()
    },
  }
}
