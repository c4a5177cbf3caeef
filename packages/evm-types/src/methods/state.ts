import { type MethodTable, optional, tuple } from '@wayleave/jsonrpc-core/schema'
import { type BlockParameter, blockParameterSchema } from '../block-parameter.ts'
import { type Address, addressSchema, dataSchema, type Hex, wordSchema } from '../data.ts'
import { type Quantity, quantitySchema } from '../quantity.ts'

/** What the state holds for one account. An absent block parameter means `latest`. */
export interface StateMethods {
  readonly eth_getStorageAt: {
    /** The position: a quantity, or zero-padded up to 32 bytes. */
    readonly params: readonly [address: Address, position: Hex, block?: BlockParameter]
    /** 32 bytes; some nodes cut leading zeros. */
    readonly result: Hex
  }
  readonly eth_getBalance: {
    readonly params: readonly [address: Address, block?: BlockParameter]
    /** Wei. */
    readonly result: Quantity
  }
  readonly eth_getCode: {
    readonly params: readonly [address: Address, block?: BlockParameter]
    /** `0x` where there is none. */
    readonly result: Hex
  }
  readonly eth_getTransactionCount: {
    readonly params: readonly [address: Address, block?: BlockParameter]
    readonly result: Quantity
  }
}

/** `eth_getStorageAt`. Source: Spec §4.2. */
export const eth_getStorageAt: MethodTable<StateMethods>['eth_getStorageAt'] = {
  summary: 'The 32-byte value at a storage position of a contract.',
  source: 'Spec §4.2',
  params: tuple<StateMethods['eth_getStorageAt']['params']>(addressSchema, wordSchema, optional(blockParameterSchema)),
  result: wordSchema,
  effect: 'read',
  blockParam: 2,
  addressPaths: ['0'],
}

/** `eth_getBalance`. Source: execution-apis. */
export const eth_getBalance: MethodTable<StateMethods>['eth_getBalance'] = {
  summary: 'The balance of an account in wei.',
  source: 'execution-apis eth_getBalance',
  params: tuple<StateMethods['eth_getBalance']['params']>(addressSchema, optional(blockParameterSchema)),
  result: quantitySchema,
  effect: 'read',
  blockParam: 1,
  addressPaths: ['0'],
}

/** `eth_getCode`. Source: execution-apis. */
export const eth_getCode: MethodTable<StateMethods>['eth_getCode'] = {
  summary: 'The code of an account, empty where it has none.',
  source: 'execution-apis eth_getCode',
  params: tuple<StateMethods['eth_getCode']['params']>(addressSchema, optional(blockParameterSchema)),
  result: dataSchema,
  effect: 'read',
  blockParam: 1,
  addressPaths: ['0'],
}

/** `eth_getTransactionCount`. Source: execution-apis. */
export const eth_getTransactionCount: MethodTable<StateMethods>['eth_getTransactionCount'] = {
  summary: 'How many transactions an account has sent: its next nonce.',
  source: 'execution-apis eth_getTransactionCount',
  params: tuple<StateMethods['eth_getTransactionCount']['params']>(addressSchema, optional(blockParameterSchema)),
  result: quantitySchema,
  effect: 'read',
  blockParam: 1,
  addressPaths: ['0'],
}
