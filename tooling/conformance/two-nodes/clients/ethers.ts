import { AbstractProvider, type Block, JsonRpcProvider, Wallet, WebSocketProvider } from 'ethers'
import { WebSocket } from 'ws'
import { type Announcements, type ClientTarget, fees, receiver, type RigClient } from './client.ts'

// Answers that the provider repeats from its own cache say nothing of the gateway.
const options = { cacheTimeout: -1, pollingInterval: 500 }
const reconnectMs = 500

/** ethers over a WebSocket, by which it also sends. It does not reconnect by itself, so the rig opens the next one. */
export async function ethersSocketClient(target: ClientTarget): Promise<RigClient> {
  let isClosed = false
  let announcements: Announcements | undefined
  let provider = open()

  function open(): WebSocketProvider {
    const socket = new WebSocket(target.ws)
    const opened = new WebSocketProvider(socket as never, target.chainId, { ...options, staticNetwork: true })
    socket.on('error', () => {})
    socket.on('close', () => {
      if (isClosed) return
      // Calls on the way would otherwise wait for ever.
      void opened.destroy().catch(() => {})
      announcements?.onReconnect()
      setTimeout(() => {
        if (isClosed) return
        provider = open()
        listen()
      }, reconnectMs)
    })
    return opened
  }

  function listen(): void {
    const { onBlock, onMissing, onError } = announcements ?? {}
    if (onBlock === undefined) return
    const current = provider
    void current
      .on('block', (number: number) => {
        current.getBlock(number).then(
          (block) => (block === null ? onMissing!(`block ${number}`) : onBlock({ number, hash: block.hash! })),
          onError,
        )
      })
      .catch(onError)
  }

  return {
    name: 'ethers-ws',
    ...callsOf(() => provider, target),
    async watch(given) {
      announcements = given
      listen()
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      await provider.destroy()
    },
  }
}

/** ethers over HTTP, which asks for the head itself. */
export async function ethersHttpClient(target: ClientTarget): Promise<RigClient> {
  const provider = new JsonRpcProvider(target.url, target.chainId, { ...options, staticNetwork: true })
  return {
    name: 'ethers-http',
    ...callsOf(() => provider, target),
    async watch({ onBlock, onMissing, onError }) {
      await provider.on('block', (number: number) => {
        provider.getBlock(number).then(
          (block) => (block === null ? onMissing(`block ${number}`) : onBlock({ number, hash: block.hash! })),
          onError,
        )
      })
    },
    async [Symbol.asyncDispose]() {
      provider.destroy()
    },
  }
}

type Calls = Omit<RigClient, 'name' | 'watch' | typeof Symbol.asyncDispose>

function callsOf(provider: () => AbstractProvider, { chainId, account }: ClientTarget): Calls {
  const wallet = new Wallet(account.privateKey)
  return {
    blockNumber: async () => ({ number: await provider().getBlockNumber() }),
    latest: async () => ({ number: existing(await provider().getBlock('latest')).number }),
    hasBlock: async (hash) => (await provider().getBlock(hash)) !== null,
    async stateAt(number) {
      await provider().getBalance(account.address, number)
    },
    pendingNonce: async () => ({ number: await provider().getTransactionCount(account.address, 'pending') }),
    async send(nonce) {
      const request = { to: receiver, value: 1n, gasLimit: 21_000n, nonce, type: 2, chainId, ...fees }
      await provider().broadcastTransaction(await wallet.signTransaction(request))
    },
  }
}

function existing(block: Block | null): Block {
  if (block === null) throw new Error('there is no latest block')
  return block
}
