import { type ContractEventPayload, Contract, WebSocketProvider } from 'ethers'
import { WebSocket } from 'ws'
import type { StreamClient, StreamTarget, Told } from './stream-client.ts'

/** ethers 6: events of a provider and of a contract over a WebSocket. It never opens another one. */
export async function ethersClient({ ws, chainId, filter }: StreamTarget, told: Told): Promise<StreamClient> {
  const socket = new WebSocket(ws)
  let isClosed = false
  socket.on('error', ({ message }) => told.failed(message))
  socket.on('close', (code, reason) => isClosed || told.failed(`closed with ${code} ${String(reason)}`.trim()))
  const provider = new WebSocketProvider(socket as never, chainId, { staticNetwork: true })
  await provider.on('block', (number: number) => told.head(number))
  const contract = new Contract(filter.address, ['event Ticked()'], provider)
  await contract.on('Ticked', ({ log }: ContractEventPayload) =>
    told.log({ block: log.blockNumber, index: log.index, removed: log.removed }),
  )
  return {
    name: 'ethers',
    async [Symbol.asyncDispose]() {
      isClosed = true
      await provider.destroy().catch(() => {})
    },
  }
}
