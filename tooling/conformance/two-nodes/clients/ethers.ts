import { type AbstractProvider, type Block, JsonRpcProvider, Wallet, WebSocketProvider } from 'ethers'
import { WebSocket } from 'ws'
import { type Announcements, type ClientTarget, fees as usualFees, receiver, type RigClient } from './client.ts'

// Answers that the provider repeats from its own cache say nothing of the gateway.
const options = { cacheTimeout: -1, pollingInterval: 500 }
const reconnectMs = 500

/** ethers over a WebSocket, by which it also sends. It does not reconnect by itself, so the rig opens the next one. */
export async function ethersSocketClient(target: ClientTarget): Promise<RigClient> {
  let isClosed = false
  let announcements: Announcements | undefined
  let current = open()

  function open(): { readonly provider: WebSocketProvider; readonly lost: Promise<never> } {
    const socket = new WebSocket(target.ws)
    const provider = new WebSocketProvider(socket as never, target.chainId, { ...options, staticNetwork: true })
    const lost = Promise.withResolvers<never>()
    lost.promise.catch(() => {})
    socket.on('error', () => {})
    socket.on('close', () => {
      // Not every call that is on its way ends with its provider.
      lost.reject(new Error('the connection was lost'))
      if (isClosed) return
      void provider.destroy().catch(() => {})
      announcements?.onReconnect()
      setTimeout(() => {
        if (isClosed) return
        current = open()
        listen()
      }, reconnectMs)
    })
    return { provider, lost: lost.promise }
  }

  function listen(): void {
    if (announcements !== undefined) announce(current.provider, announcements).catch(announcements.onError)
  }

  return {
    name: 'ethers-ws',
    ...callsOf((ask) => Promise.race([ask(current.provider), current.lost]), target),
    async watch(given) {
      announcements = given
      listen()
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      await current.provider.destroy()
    },
  }
}

/** ethers over HTTP, which asks for the head itself. */
export async function ethersHttpClient(target: ClientTarget): Promise<RigClient> {
  const provider = new JsonRpcProvider(target.url, target.chainId, { ...options, staticNetwork: true })
  return {
    name: 'ethers-http',
    ...callsOf((ask) => ask(provider), target),
    watch: (announcements) => announce(provider, announcements),
    async [Symbol.asyncDispose]() {
      provider.destroy()
    },
  }
}

async function announce(provider: AbstractProvider, { onBlock, onMissing, onError }: Announcements): Promise<void> {
  await provider.on('block', (number: number) => {
    provider
      .getBlock(number)
      .then(
        (block) => (block === null ? onMissing(`block ${number}`) : onBlock({ number, hash: block.hash! })),
        onError,
      )
  })
}

type Calls = Omit<RigClient, 'name' | 'watch' | typeof Symbol.asyncDispose>
type Ask = <T>(ask: (provider: AbstractProvider) => Promise<T>) => Promise<T>

function callsOf(by: Ask, { chainId, account, fees = usualFees }: ClientTarget): Calls {
  const wallet = new Wallet(account.privateKey)
  return {
    blockNumber: async () => ({ number: await by((provider) => provider.getBlockNumber()) }),
    latest: async () => ({ number: existing(await by((provider) => provider.getBlock('latest'))).number }),
    hasBlock: async (hash) => (await by((provider) => provider.getBlock(hash))) !== null,
    async stateAt(number) {
      await by((provider) => provider.getBalance(account.address, number))
    },
    async pendingNonce() {
      return { number: await by((provider) => provider.getTransactionCount(account.address, 'pending')) }
    },
    async send(nonce) {
      const request = { to: receiver, value: 1n, gasLimit: 21_000n, nonce, type: 2, chainId, ...fees }
      const signed = await wallet.signTransaction(request)
      await by((provider) => provider.broadcastTransaction(signed))
    },
  }
}

function existing(block: Block | null): Block {
  if (block === null) throw new Error('there is no latest block')
  return block
}
