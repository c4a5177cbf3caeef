import { FetchRequest, JsonRpcProvider, WebSocketProvider } from 'ethers'
import {
  type HttpSubject,
  type NamedCall,
  type OpenOptions,
  type SocketSubject,
  someAddress,
  type Subject,
} from '../subject.ts'

function openHttp(url: string, { timeoutMs }: OpenOptions): HttpSubject {
  const request = new FetchRequest(url)
  if (timeoutMs !== undefined) request.timeout = timeoutMs
  const provider = new JsonRpcProvider(request)
  const send = ({ method, params }: NamedCall): Promise<unknown> => provider.send(method, [...params])
  return {
    request: send,
    // By default, calls within 10 ms are sent together.
    batch: (calls) => calls.map(send),
    getBalance: () => provider.getBalance(someAddress),
    estimateGas: () => provider.estimateGas({ from: someAddress, to: someAddress }),
    getTransaction: (hash) => provider.getTransaction(hash),
    sendRawTransaction: (raw) => provider.broadcastTransaction(raw),
    close: async () => provider.destroy(),
  }
}

function openSocket(url: string): SocketSubject {
  const provider = new WebSocketProvider(url)
  return {
    request: ({ method, params }) => provider.send(method, [...params]),
    async watchHeads(onHead) {
      await provider.on('block', onHead)
      return () => provider.off('block', onHead)
    },
    close: () => provider.destroy(),
  }
}

export const ethers: Subject = { name: 'ethers', openHttp, openSocket }
