import { type Address, createPublicClient, parseAbiItem, webSocket } from 'viem'
import { type StreamClient, type StreamTarget, type Reported, wordsOf } from './stream-client.ts'

export const ticked = parseAbiItem('event Ticked()')

/** viem: `watchBlocks` and `watchEvent` over a WebSocket, which it opens again by itself. */
export async function viemClient({ ws, filter }: StreamTarget, reported: Reported): Promise<StreamClient> {
  const client = createPublicClient({ transport: webSocket(ws) })
  const onError = (why: Error): void => reported.failed(wordsOf(why))
  const unwatch = [
    // It asks for each block that is announced, and hands it over when it has it.
    client.watchBlocks({ onBlock: ({ number }) => reported.head(Number(number), false), onError }),
    client.watchEvent({
      address: filter.address as Address,
      event: ticked,
      onLogs(logs) {
        for (const { blockNumber, logIndex, removed } of logs)
          reported.log({ block: Number(blockNumber), index: logIndex, removed })
      },
      onError,
    }),
  ]
  return {
    name: 'viem',
    async [Symbol.asyncDispose]() {
      for (const each of unwatch) each()
      const socket = await client.transport.getRpcClient()
      socket.close()
    },
  }
}
