import { createPublicClient, type EIP1193RequestFn, http, webSocket } from 'viem'
import {
  type HttpSubject,
  type NamedCall,
  type OpenOptions,
  type SocketSubject,
  someAddress,
  type Subject,
} from '../subject.ts'

type AnyRequest = (call: NamedCall) => Promise<unknown>

function openHttp(url: string, { timeoutMs, signal, batching = false }: OpenOptions): HttpSubject {
  const client = createPublicClient({
    transport: http(url, {
      batch: batching,
      ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
      ...(signal === undefined ? {} : { fetchOptions: { signal } }),
    }),
  })
  const request = client.request as EIP1193RequestFn as AnyRequest
  return {
    request,
    batch: (calls) => calls.map(request),
    getBalance: () => client.getBalance({ address: someAddress }),
    estimateGas: () => client.estimateGas({ account: someAddress, to: someAddress }),
    getTransaction: (hash) => client.getTransaction({ hash: hash as `0x${string}` }),
    sendRawTransaction: (raw) => client.sendRawTransaction({ serializedTransaction: raw as `0x${string}` }),
    close: async () => {},
  }
}

function openSocket(url: string): SocketSubject {
  // By default, a pending call is retried four times, for over a second, before it rejects.
  const client = createPublicClient({ transport: webSocket(url, { retryCount: 0 }) })
  return {
    request: client.request as EIP1193RequestFn as AnyRequest,
    watchHeads: async (onHead) => client.watchBlockNumber({ onBlockNumber: onHead, onError: () => {} }),
    close: async () => (await client.transport.getRpcClient()).close(),
  }
}

export const viem: Subject = { name: 'viem', openHttp, openSocket }
