import { createClient } from '@wayleave/client'
import { fetchMissed } from '@wayleave/client/events'
import { verify } from '@wayleave/client/verify'
import { type HttpSubject, type OpenOptions, type SocketSubject, someAddress, type Subject } from '../subject.ts'

function openHttp(url: string, { timeoutMs, signal, batching = false }: OpenOptions): HttpSubject {
  const common = { url, batch: batching, ...(timeoutMs === undefined ? {} : { timeoutMs }) }
  const client = createClient(common)
  // One transaction under the hash of another is found out only by hashing.
  const verified = createClient({ ...common, verify: verify('consistent') })
  const options = signal === undefined ? {} : { signal }
  return {
    request: ({ method, params }) => client.requestUnchecked(method, params, options),
    batch: (calls) => calls.map(({ method, params }) => client.requestUnchecked(method, params, options)),
    getBalance: () => client.request('eth_getBalance', [someAddress, 'latest']),
    estimateGas: () => client.eth.estimateGas([{ from: someAddress, to: someAddress }]),
    getTransaction: (hash) => verified.requestUnchecked('eth_getTransactionByHash', [hash]),
    sendRawTransaction: (raw) => client.request('eth_sendRawTransaction', [raw as `0x${string}`]),
    close: () => client.close(),
  }
}

function openSocket(url: string): SocketSubject {
  const client = createClient({ url, resubscribe: fetchMissed })
  return {
    request: ({ method, params }) => client.requestUnchecked(method, params),
    async watchHeads(onHead) {
      const onEvent = (head: unknown): void => onHead((head as { readonly number: unknown }).number)
      const subscription = await client.subscribe(['newHeads'], { onEvent })
      return () => subscription.unsubscribe()
    },
    close: () => client.close(),
  }
}

/** `createClient` with its defaults, but for `fetchMissed`, and for `verify('consistent')` where a transaction is asked for. */
export const wayleave: Subject = { name: 'wayleave', openHttp, openSocket }
