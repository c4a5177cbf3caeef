import { HttpProvider, Web3, WebSocketProvider } from 'web3'
import {
  type HttpSubject,
  type NamedCall,
  type OpenOptions,
  type SocketSubject,
  someAddress,
  type Subject,
} from '../subject.ts'

function requestOf(web3: Web3): (call: NamedCall) => Promise<unknown> {
  return ({ method, params }) =>
    web3.requestManager.send({ method: method as 'eth_getBalance', params: params as never })
}

function openHttp(url: string, { signal }: OpenOptions): HttpSubject {
  const web3 = new Web3(new HttpProvider(url, signal === undefined ? undefined : { providerOptions: { signal } }))
  return {
    request: requestOf(web3),
    batch(calls) {
      const batch = new web3.BatchRequest()
      const answers = calls.map(({ method, params }) =>
        batch.add({ method: method as 'eth_getBalance', params: params as never }),
      )
      // The promise of each call reports its own outcome.
      void batch.execute().catch(() => {})
      return answers
    },
    getBalance: () => web3.eth.getBalance(someAddress),
    estimateGas: () => web3.eth.estimateGas({ from: someAddress, to: someAddress }),
    getTransaction: (hash) => web3.eth.getTransaction(hash),
    sendRawTransaction: async (raw) => web3.eth.sendSignedTransaction(raw),
    close: async () => {},
  }
}

function openSocket(url: string): SocketSubject {
  const provider = new WebSocketProvider(url)
  provider.on('error', () => {})
  const web3 = new Web3(provider)
  return {
    request: requestOf(web3),
    async watchHeads(onHead) {
      const subscription = await web3.eth.subscribe('newBlockHeaders')
      subscription.on('data', ({ number }) => onHead(number))
      subscription.on('error', () => {})
      return () => subscription.unsubscribe()
    },
    close: async () => provider.disconnect(),
  }
}

export const web3: Subject = { name: 'web3', openHttp, openSocket }
