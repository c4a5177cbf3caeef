import { type MethodTable, text, tuple } from '@wayleave/jsonrpc-core/schema'
import { type Quantity, quantitySchema } from '../quantity.ts'

/** What a node says of its chain as a whole. */
export interface ChainMethods {
  readonly eth_chainId: { readonly params: readonly []; readonly result: Quantity }
  /** Decimal. */
  readonly net_version: { readonly params: readonly []; readonly result: string }
  readonly eth_blockNumber: { readonly params: readonly []; readonly result: Quantity }
  /** Wei per gas. */
  readonly eth_gasPrice: { readonly params: readonly []; readonly result: Quantity }
}

/** `eth_chainId`. Source: EIP-695. */
export const eth_chainId: MethodTable<ChainMethods>['eth_chainId'] = {
  summary: 'The chain id that transactions are signed for.',
  source: 'EIP-695',
  params: tuple<readonly []>(),
  result: quantitySchema,
  effect: 'read',
}

/** `net_version`. Source: execution-apis. */
export const net_version: MethodTable<ChainMethods>['net_version'] = {
  summary: 'The network id, as a decimal string.',
  source: 'execution-apis net_version',
  params: tuple<readonly []>(),
  result: text('a decimal network id', /^\d+$/),
  effect: 'read',
}

/** `eth_blockNumber`. Source: execution-apis. */
export const eth_blockNumber: MethodTable<ChainMethods>['eth_blockNumber'] = {
  summary: 'The number of the latest block.',
  source: 'execution-apis eth_blockNumber',
  params: tuple<readonly []>(),
  result: quantitySchema,
  effect: 'read',
}

/** `eth_gasPrice`. Source: execution-apis. */
export const eth_gasPrice: MethodTable<ChainMethods>['eth_gasPrice'] = {
  summary: 'A gas price in wei that a legacy transaction may offer now.',
  source: 'execution-apis eth_gasPrice',
  params: tuple<readonly []>(),
  result: quantitySchema,
  effect: 'read',
}
