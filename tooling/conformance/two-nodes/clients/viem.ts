import { BlockNotFoundError, createPublicClient, createWalletClient, defineChain, http, webSocket } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type ClientTarget, fees as usualFees, receiver, type RigClient } from './client.ts'

/** viem: calls over HTTP, `watchBlocks` over a WebSocket. */
export async function viemClient({ url, ws, chainId, account, fees = usualFees }: ClientTarget): Promise<RigClient> {
  const chain = defineChain({
    id: chainId,
    name: 'two nodes',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url], webSocket: [ws] } },
  })
  const calls = createPublicClient({ chain, transport: http(url), cacheTime: 0 })
  const watching = createPublicClient({ chain, transport: webSocket(ws) })
  const signer = privateKeyToAccount(account.privateKey as `0x${string}`)
  const wallet = createWalletClient({ chain, transport: http(url), account: signer })
  let stop = (): void => {}
  return {
    name: 'viem',
    async watch({ onBlock, onMissing, onError }) {
      stop = watching.watchBlocks({
        // viem announces `undefined` where it could not read the block that it was told of.
        onBlock: (block: { readonly number: bigint; readonly hash: string } | undefined) => {
          if (block === undefined) onError(new Error('viem could not read an announced block'))
          else onBlock({ number: Number(block.number), hash: block.hash })
        },
        onError: (why) => (why instanceof BlockNotFoundError ? onMissing(why) : onError(why)),
      })
    },
    blockNumber: async () => ({ number: Number(await calls.getBlockNumber({ cacheTime: 0 })) }),
    latest: async () => ({ number: Number((await calls.getBlock({ blockTag: 'latest' })).number) }),
    async hasBlock(hash) {
      try {
        await calls.getBlock({ blockHash: hash as `0x${string}` })
        return true
      } catch (why) {
        if (why instanceof BlockNotFoundError) return false
        throw why
      }
    },
    async stateAt(number) {
      await calls.getBalance({ address: signer.address, blockNumber: BigInt(number) })
    },
    pendingNonce: async () => ({
      number: await calls.getTransactionCount({ address: signer.address, blockTag: 'pending' }),
    }),
    async send(nonce) {
      const request = { to: receiver, value: 1n, gas: 21_000n, nonce, type: 'eip1559', ...fees } as const
      const serializedTransaction = await wallet.signTransaction(request)
      await calls.sendRawTransaction({ serializedTransaction })
    },
    async [Symbol.asyncDispose]() {
      stop()
      const socket = await watching.transport.getRpcClient().catch(() => undefined)
      socket?.close()
    },
  }
}
