import {
  anything,
  array,
  boolean,
  is,
  record,
  type RuleTable,
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
export const web3_clientVersion: RuleTable<NodeMethods>['web3_clientVersion'] = {
  params: noParams,
  result: /*#__PURE__*/ text('a name and version'),
  paramNames: [],
  effect: 'read',
}

/** `web3_sha3`. Source: EIP-1474. */
export const web3_sha3: RuleTable<NodeMethods>['web3_sha3'] = {
  params: /*#__PURE__*/ tuple<NodeMethods['web3_sha3']['params']>(dataSchema),
  result: hashSchema,
  paramNames: ['data'],
  effect: 'read',
  cache: 'fixed',
}

/** `net_listening`. Source: EIP-1474. */
export const net_listening: RuleTable<NodeMethods>['net_listening'] = {
  params: noParams,
  result: boolean,
  paramNames: [],
  effect: 'read',
}

/** `net_peerCount`. Source: EIP-1474. */
export const net_peerCount: RuleTable<NodeMethods>['net_peerCount'] = {
  params: noParams,
  result: quantitySchema,
  paramNames: [],
  effect: 'read',
}

/** `eth_protocolVersion`. Source: EIP-1474. */
export const eth_protocolVersion: RuleTable<NodeMethods>['eth_protocolVersion'] = {
  params: noParams,
  result: versionSchema,
  paramNames: [],
  effect: 'read',
}

/** `eth_accounts`. Source: execution-apis. */
export const eth_accounts: RuleTable<NodeMethods>['eth_accounts'] = {
  params: noParams,
  result: /*#__PURE__*/ array(addressSchema),
  paramNames: [],
  effect: 'read',
}

/** `eth_coinbase`. Source: execution-apis. */
export const eth_coinbase: RuleTable<NodeMethods>['eth_coinbase'] = {
  params: noParams,
  result: addressSchema,
  paramNames: [],
  effect: 'read',
}

/** `eth_mining`. Source: EIP-1474. */
export const eth_mining: RuleTable<NodeMethods>['eth_mining'] = {
  params: noParams,
  result: boolean,
  paramNames: [],
  effect: 'read',
}

/** `eth_hashrate`. Source: EIP-1474. */
export const eth_hashrate: RuleTable<NodeMethods>['eth_hashrate'] = {
  params: noParams,
  result: quantitySchema,
  paramNames: [],
  effect: 'read',
}

/** `eth_capabilities`. Source: execution-apis. */
export const eth_capabilities: RuleTable<NodeMethods>['eth_capabilities'] = {
  params: noParams,
  result: /*#__PURE__*/ record(anything),
  paramNames: [],
  effect: 'read',
}
