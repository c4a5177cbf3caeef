// Configurations of any kind are read with this, without the tables of their methods.
import { chainFelt } from './chain-felt.ts'

/** A kind of network as all readers of a configuration know it. Its methods and rules are its `NetworkKind`. */
export interface ChainKind<Reports extends boolean = boolean> {
  /** The method that asks a node for its chain id, or whether it is there where nodes tell no chain. */
  readonly chainIdMethod: string
  /** Whether nodes tell their chain id and their heads. Else a configuration may name an answer that all nodes of the chain give. */
  readonly reportsChain: Reports
  /** Whether a value is a chain id as a configuration names it. */
  isChainId(value: unknown): boolean
  /** Prints a configured chain id as nodes answer it, without padding and in lower case. */
  expectedChain(chainId: number | string): string
  /** Reads a node's answer, a quantity, as a configuration names the chain. Undefined for what is no chain id. */
  configuredChain(quantity: bigint): number | string | undefined
  /** Whether subscriptions are made here, from the chain that is followed. Default: they are those of an upstream. */
  readonly streams: boolean
  /** Whether its nodes may prune their history, so that one has what another one lacks. */
  readonly prunes: boolean
  /** Methods that nearly every caller needs. */
  readonly usualMethods: readonly string[]
}

const evm: ChainKind<true> = {
  chainIdMethod: 'eth_chainId',
  reportsChain: true,
  isChainId: (value) => Number.isSafeInteger(value),
  expectedChain: (chainId) => `0x${Number(chainId).toString(16)}`,
  configuredChain: (quantity) => (quantity > 0n && quantity <= Number.MAX_SAFE_INTEGER ? Number(quantity) : undefined),
  streams: true,
  prunes: true,
  usualMethods: ['eth_chainId', 'eth_blockNumber', 'eth_call', 'eth_sendRawTransaction'],
}

const starknet: ChainKind<true> = {
  chainIdMethod: 'starknet_chainId',
  reportsChain: true,
  isChainId: (value) => typeof value === 'string' && chainFelt(value) !== undefined,
  // The check of the configuration refuses a chain id that is no felt.
  expectedChain: (chainId) => chainFelt(String(chainId))!,
  /** A short text such as `SN_MAIN`, or else the felt in hex. */
  configuredChain(quantity) {
    const hex = quantity.toString(16)
    const short = Buffer.from(hex, 'hex').toString('latin1')
    return chainFelt(short) === `0x${hex}` ? short : chainFelt(`0x${hex}`)
  },
  streams: false,
  prunes: false,
  usualMethods: ['starknet_chainId', 'starknet_blockNumber', 'starknet_call', 'starknet_addInvokeTransaction'],
}

/** Nodes of which nothing is known but that they speak JSON-RPC. */
const jsonrpc: ChainKind<false> = {
  // Any answer to OpenRPC's question shows that a node is there, also that it has no such method.
  chainIdMethod: 'rpc.discover',
  reportsChain: false,
  isChainId: (value) => typeof value === 'string',
  expectedChain: String,
  configuredChain: () => undefined,
  streams: false,
  prunes: false,
  usualMethods: [],
}

/** A kind whose nodes report their chain and their heads. */
export type ReportingKind = 'evm' | 'rollup' | 'starknet'

/** The name of a kind of network, as `kind` of a configuration has it. */
export type KindName = ReportingKind | 'jsonrpc'

/** The facts that set each kind of network apart before its code is loaded. */
export const chainKinds: {
  readonly [K in KindName]: ChainKind<K extends ReportingKind ? true : false>
} = { evm, rollup: evm, starknet, jsonrpc }

/** Whether a value names a kind of network. */
export const isKindName = (value: unknown): value is KindName =>
  typeof value === 'string' && Object.hasOwn(chainKinds, value)

/** Reads an answer to {@link ChainKind.chainIdMethod} as a configuration names the chain. Undefined for what is no chain id. */
export function readChainId(kind: KindName, answer: unknown): number | string | undefined {
  if (typeof answer !== 'string' || !/^0x[\da-f]{1,64}$/i.test(answer)) return undefined
  return chainKinds[kind].configuredChain(BigInt(answer))
}
