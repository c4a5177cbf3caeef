import {
  anything,
  array,
  boolean,
  is,
  type MethodTable,
  record,
  type Schema,
  text,
  tuple,
} from '@wayleave/jsonrpc-core/schema'
import { type Address, addressSchema, dataSchema, type Hash, hashSchema, type Hex } from '../data.ts'
import { type Quantity, quantitySchema } from '../quantity.ts'
import { noParams } from '../no-params.ts'

/** Facts about a node. Behind a pool they describe whichever node answered. */
export interface NodeMethods {
  readonly web3_clientVersion: { readonly params: readonly []; readonly result: string }
  /** Keccak-256. */
  readonly web3_sha3: { readonly params: readonly [data: Hex]; readonly result: Hash }
  readonly net_listening: { readonly params: readonly []; readonly result: boolean }
  readonly net_peerCount: { readonly params: readonly []; readonly result: Quantity }
  /** Hex on most nodes, decimal on some, a number on anvil, a name on zkSync; gone from go-ethereum. */
  readonly eth_protocolVersion: { readonly params: readonly []; readonly result: string | number }
  /** Empty on a node that keeps no keys. */
  readonly eth_accounts: { readonly params: readonly []; readonly result: readonly Address[] }
  readonly eth_coinbase: { readonly params: readonly []; readonly result: Address }
  readonly eth_mining: { readonly params: readonly []; readonly result: boolean }
  /** Hashes a second. */
  readonly eth_hashrate: { readonly params: readonly []; readonly result: Quantity }
  /** The blocks, states and logs that the node still has. */
  readonly eth_capabilities: { readonly params: readonly []; readonly result: Readonly<Record<string, unknown>> }
}

const versionSchema: Schema<string | number> = /*#__PURE__*/ is(
  'a version',
  (value) => (typeof value === 'string' ? value !== '' : Number.isSafeInteger(value)),
  () => ({
    anyOf: [
      { type: 'string', minLength: 1 },
      { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    ],
  }),
)

/** `web3_clientVersion`. Source: EIP-1474. */
export const web3_clientVersion: MethodTable<NodeMethods>['web3_clientVersion'] = {
  summary: 'The name and version of the node.',
  source: 'EIP-1474',
  params: noParams,
  result: /*#__PURE__*/ text('a name and version'),
  paramNames: [],
  effect: 'read',
}

/** `web3_sha3`. Source: EIP-1474. */
export const web3_sha3: MethodTable<NodeMethods>['web3_sha3'] = {
  summary: 'The Keccak-256 hash of some bytes.',
  source: 'EIP-1474',
  params: /*#__PURE__*/ tuple<NodeMethods['web3_sha3']['params']>(dataSchema),
  result: hashSchema,
  paramNames: ['data'],
  effect: 'read',
  cache: 'fixed',
}

/** `net_listening`. Source: EIP-1474. */
export const net_listening: MethodTable<NodeMethods>['net_listening'] = {
  summary: 'Whether the node listens for peers.',
  source: 'EIP-1474',
  params: noParams,
  result: boolean,
  paramNames: [],
  effect: 'read',
}

/** `net_peerCount`. Source: EIP-1474. */
export const net_peerCount: MethodTable<NodeMethods>['net_peerCount'] = {
  summary: 'How many peers the node has.',
  source: 'EIP-1474',
  params: noParams,
  result: quantitySchema,
  paramNames: [],
  effect: 'read',
}

/** `eth_protocolVersion`. Source: EIP-1474. */
export const eth_protocolVersion: MethodTable<NodeMethods>['eth_protocolVersion'] = {
  summary: 'The version of the peer-to-peer protocol.',
  source: 'EIP-1474',
  params: noParams,
  result: versionSchema,
  paramNames: [],
  effect: 'read',
}

/** `eth_accounts`. Source: execution-apis. */
export const eth_accounts: MethodTable<NodeMethods>['eth_accounts'] = {
  summary: 'The accounts whose keys the node keeps.',
  source: 'execution-apis',
  params: noParams,
  result: /*#__PURE__*/ array(addressSchema),
  paramNames: [],
  effect: 'read',
}

/** `eth_coinbase`. Source: execution-apis. */
export const eth_coinbase: MethodTable<NodeMethods>['eth_coinbase'] = {
  summary: 'Who receives the rewards of the blocks that the node makes.',
  source: 'execution-apis',
  params: noParams,
  result: addressSchema,
  paramNames: [],
  effect: 'read',
}

/** `eth_mining`. Source: EIP-1474. */
export const eth_mining: MethodTable<NodeMethods>['eth_mining'] = {
  summary: 'Whether the node makes blocks by proof of work.',
  source: 'EIP-1474',
  params: noParams,
  result: boolean,
  paramNames: [],
  effect: 'read',
}

/** `eth_hashrate`. Source: EIP-1474. */
export const eth_hashrate: MethodTable<NodeMethods>['eth_hashrate'] = {
  summary: 'How many hashes a second the node tries.',
  source: 'EIP-1474',
  params: noParams,
  result: quantitySchema,
  paramNames: [],
  effect: 'read',
}

/** `eth_capabilities`. Source: execution-apis. */
export const eth_capabilities: MethodTable<NodeMethods>['eth_capabilities'] = {
  summary: 'Which blocks, states and logs the node still has.',
  source: 'execution-apis',
  params: noParams,
  result: /*#__PURE__*/ record(anything),
  paramNames: [],
  effect: 'read',
}
