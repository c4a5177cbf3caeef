import { type ContractEventPayload, Contract, WebSocketProvider } from 'ethers'
import { WebSocket } from 'ws'
import type { StreamClient, StreamTarget, Reported } from './stream-client.ts'

/** ethers 6: events of a provider and of a contract over a WebSocket. It never opens another one. */
export async function ethersClient({ ws, chainId, filter }: StreamTarget, reported: Reported): Promise<StreamClient> {
  const socket = new WebSocket(ws)
  let isClosed = false
  socket.on('error', ({ message }) => reported.failed(message))
  socket.on('close', (code, reason) => isClosed || reported.failed(`closed with ${code} ${String(reason)}`.trim()))
  const provider = new WebSocketProvider(socket as never, chainId, { staticNetwork: true })
  await provider.on('block', (number: number) => reported.head(number))
  const contract = new Contract(filter.address, ['event Ticked()'], provider)
  await contract.on('Ticked', ({ log }: ContractEventPayload) =>
    reported.log({ block: log.blockNumber, index: log.index, removed: log.removed }),
  )
  return {
    name: 'ethers',
    async [Symbol.asyncDispose]() {
      isClosed = true
      await provider.destroy().catch(() => {})
    },
  }
}
