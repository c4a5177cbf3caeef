import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'

/** A Starknet node, as far as a newcomer asks one: each subscription to new heads gets the head of block 7. */
export interface StarknetNode {
  readonly port: string
  close(): Promise<void>
}

interface Asked {
  readonly id: number
  readonly method: string
}

const answers: Readonly<Record<string, unknown>> = {
  starknet_chainId: '0x534e5f5345504f4c4941',
  starknet_specVersion: '0.8.1',
  starknet_subscribeNewHeads: '1',
  starknet_unsubscribe: true,
}

export async function startStarknetNode(): Promise<StarknetNode> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  server.on('connection', (socket) => {
    const send = (frame: object): void => socket.send(JSON.stringify({ jsonrpc: '2.0', ...frame }))
    socket.on('message', (data) => {
      const { id, method } = JSON.parse(String(data)) as Asked
      const result = answers[method]
      send(result === undefined ? { id, error: { code: -32601, message: 'Method not found' } } : { id, result })
      if (method !== 'starknet_subscribeNewHeads') return
      send({
        method: 'starknet_subscriptionNewHeads',
        params: { subscription_id: result, result: { block_number: 7, block_hash: '0x1a2b', parent_hash: '0x1a2a' } },
      })
    })
  })
  return {
    port: String((server.address() as AddressInfo).port),
    async close() {
      for (const socket of server.clients) socket.terminate()
      server.close()
      await once(server, 'close')
    },
  }
}
