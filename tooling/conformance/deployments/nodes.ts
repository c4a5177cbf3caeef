import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type Hex, keccak256 } from 'viem'
import { type WebSocket, WebSocketServer } from 'ws'
// @boundaries-ignore The simulated node of the gateway's tests is in no package.
import {
  type ChainNode,
  type NodeAnswer,
  startChainNode,
  testChain,
} from '../../../packages/gateway/test/chain-node.ts'

/** A node with a chain that the script makes longer, and with an answer of each kind that a node can give. */
export interface EvmNode extends AsyncDisposable {
  readonly node: ChainNode
}

/** Calls that this node answers by an error. `data` is passed on as it is, whatever JSON it is. */
const refusals: Readonly<Record<string, NonNullable<NodeAnswer['error']>>> = {
  eth_call: { code: 3, message: 'execution reverted: no', data: '0x08c379a0' },
  eth_estimateGas: {
    code: -32000,
    message: 'gas required exceeds allowance',
    data: { allowance: '0x0', tried: [1.5, null] },
  },
  eth_createAccessList: { code: -32000, message: 'no data' },
  trace_block: { code: -32601, message: 'the method trace_block does not exist/is not available' },
  law_unknownMethod: { code: -32601, message: 'the method law_unknownMethod does not exist/is not available' },
}

/** Kinds of subscriptions that the node refuses, by its error. */
const refusedKinds: Readonly<Record<string, NonNullable<NodeAnswer['error']>>> = {
  newFlashblocks: {
    code: -32602,
    message: 'no "newFlashblocks" subscription in eth namespace',
    data: { kinds: ['newHeads', 1e21] },
  },
  lawNothing: { code: -32601, message: 'no "lawNothing" subscription in eth namespace' },
}

/** A transaction that the node takes, for each place. */
export const rawTransactions: readonly [Hex, Hex] = ['0xf860', '0xf861']

export async function startEvmNode(): Promise<EvmNode> {
  const node = await startChainNode(testChain(40, { hasLogs: true }), 7)
  node.answer = (method, params) => {
    if (method === 'eth_subscribe') {
      const error = refusedKinds[String(params[0])]
      return error === undefined ? undefined : { error }
    }
    if (method === 'eth_sendRawTransaction') return { result: keccak256(params[0] as Hex) }
    if (method === 'eth_syncing') return { result: false }
    if (method === 'eth_getTransactionReceipt') return { result: null }
    const error = refusals[method]
    return error === undefined ? undefined : { error }
  }
  return { node, [Symbol.asyncDispose]: () => node.close() }
}

/** A Starknet node of version 0.8 that pushes on demand. */
export interface StarknetNode extends AsyncDisposable {
  readonly url: string
  /** Subscriptions that are open. */
  readonly open: ReadonlySet<number>
  /** Pushes a result to all subscriptions that a method has opened. */
  push(method: string, event: string, result: unknown): void
}

const felt = (digit: string): string => `0x${digit.repeat(8)}`
const starknetAnswers: Readonly<Record<string, unknown>> = {
  starknet_chainId: '0x534e5f4d41494e',
  starknet_specVersion: '0.8.1',
  starknet_blockNumber: 7,
  starknet_blockHashAndNumber: { block_hash: felt('7'), block_number: 7 },
  starknet_getBlockWithTxHashes: { block_hash: felt('5'), block_number: 5, status: 'ACCEPTED_ON_L1' },
  starknet_unsubscribe: true,
}

export async function startStarknetNode(): Promise<StarknetNode> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const open = new Map<number, { readonly method: string; readonly socket: WebSocket }>()
  let last = 0

  function answer(socket: WebSocket, method: string, params: unknown): object {
    if (method === 'starknet_subscribeLawNothing') return { error: { code: -32601, message: 'Method not found' } }
    if (method.startsWith('starknet_subscribe')) {
      open.set(++last, { method, socket })
      return { result: last }
    }
    if (method === 'starknet_unsubscribe') open.delete(Object.values(Object(params) as object)[0] as number)
    const result = starknetAnswers[method]
    return result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result }
  }

  server.on('connection', (socket) => {
    socket.on('close', () => {
      for (const [id, one] of open) if (one.socket === socket) open.delete(id)
    })
    socket.on('message', (data) => {
      const { id, method, params } = JSON.parse(String(data)) as { id: number; method: string; params?: unknown }
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, ...answer(socket, method, params) }))
    })
  })
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get open() {
      return new Set(open.keys())
    },
    push(method, event, result) {
      for (const [id, one] of open) {
        if (one.method !== method) continue
        const params = { subscription_id: id, result }
        one.socket.send(JSON.stringify({ jsonrpc: '2.0', method: `starknet_subscription${event}`, params }))
      }
    },
    async [Symbol.asyncDispose]() {
      for (const socket of server.clients) socket.terminate()
      server.close()
      await once(server, 'close')
    },
  }
}
