import { array, object, record, type RuleTable, type Schema, tuple } from '@wayleave/jsonrpc-core/schema'
import { type BlockParameter, optionalBlock } from '../block-parameter.ts'
import { type Address, addressSchema, dataSchema, type Hash, type Hex, hashSchema, wordSchema } from '../data.ts'
import { keyed } from '../keyed.ts'
import { type Quantity, quantitySchema } from '../quantity.ts'

/** One position of a storage, and the proof of its value against {@link AccountProof.storageHash}. Source: EIP-1186. */
export interface StorageProof {
  /** In the form of the request, as a quantity, or padded. */
  readonly key: Hex
  readonly value: Hex
  /** RLP-encoded trie nodes, from the root down. */
  readonly proof: readonly Hex[]
}

/** An account, and its proof against the block's state root. Source: EIP-1186. */
export interface AccountProof {
  readonly address: Address
  /** RLP-encoded trie nodes, from the root down. */
  readonly accountProof: readonly Hex[]
  /** Wei. */
  readonly balance: Quantity
  readonly codeHash: Hash
  readonly nonce: Quantity
  readonly storageHash: Hash
  readonly storageProof: readonly StorageProof[]
}

/** The state of one account. An absent block parameter means `latest`. */
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
    /** `0x` if it has none. */
    readonly result: Hex
  }
  readonly eth_getTransactionCount: {
    readonly params: readonly [address: Address, block?: BlockParameter]
    readonly result: Quantity
  }
  readonly eth_getProof: {
    readonly params: readonly [address: Address, positions: readonly Hex[], block?: BlockParameter]
    readonly result: AccountProof
  }
  readonly eth_getStorageValues: {
    /** 32-byte positions by contract; at least one. */
    readonly params: readonly [positions: Readonly<Record<Address, readonly Hash[]>>, block?: BlockParameter]
    /** Their values, in the same order. */
    readonly result: Readonly<Record<Address, readonly Hash[]>>
  }
}

const storageProofSchema: Schema<StorageProof> = /*#__PURE__*/ object<StorageProof>('a storage proof', {
  key: wordSchema,
  value: wordSchema,
  proof: /*#__PURE__*/ array(dataSchema),
})

const accountProofSchema: Schema<AccountProof> = /*#__PURE__*/ object<AccountProof>('an account proof', {
  address: addressSchema,
  accountProof: /*#__PURE__*/ array(dataSchema),
  balance: quantitySchema,
  codeHash: hashSchema,
  nonce: quantitySchema,
  storageHash: hashSchema,
  storageProof: /*#__PURE__*/ array(storageProofSchema),
})

const wordsByAddress: Schema<Readonly<Record<Address, readonly Hash[]>>> = /*#__PURE__*/ keyed(
  addressSchema,
  /*#__PURE__*/ record(/*#__PURE__*/ array(hashSchema)),
)

/** `eth_getStorageAt`. Source: Spec §4.2. */
export const eth_getStorageAt: RuleTable<StateMethods>['eth_getStorageAt'] = {
  params: /*#__PURE__*/ tuple<StateMethods['eth_getStorageAt']['params']>(addressSchema, wordSchema, optionalBlock),
  result: wordSchema,
  paramNames: ['address', 'position', 'block?'],
  effect: 'read',
  blockParam: 2,
  cache: 'block',
  addressPaths: ['0'],
}

/** `eth_getBalance`. Source: execution-apis. */
export const eth_getBalance: RuleTable<StateMethods>['eth_getBalance'] = {
  params: /*#__PURE__*/ tuple<StateMethods['eth_getBalance']['params']>(addressSchema, optionalBlock),
  result: quantitySchema,
  paramNames: ['address', 'block?'],
  effect: 'read',
  blockParam: 1,
  cache: 'block',
  addressPaths: ['0'],
}

/** `eth_getCode`. Source: execution-apis. */
export const eth_getCode: RuleTable<StateMethods>['eth_getCode'] = {
  params: /*#__PURE__*/ tuple<StateMethods['eth_getCode']['params']>(addressSchema, optionalBlock),
  result: dataSchema,
  paramNames: ['address', 'block?'],
  effect: 'read',
  blockParam: 1,
  cache: 'block',
  addressPaths: ['0'],
}

/** `eth_getTransactionCount`. Source: execution-apis. */
export const eth_getTransactionCount: RuleTable<StateMethods>['eth_getTransactionCount'] = {
  params: /*#__PURE__*/ tuple<StateMethods['eth_getTransactionCount']['params']>(addressSchema, optionalBlock),
  result: quantitySchema,
  paramNames: ['address', 'block?'],
  effect: 'read',
  blockParam: 1,
  cache: 'block',
  addressPaths: ['0'],
}

/** `eth_getProof`. Source: EIP-1186. */
export const eth_getProof: RuleTable<StateMethods>['eth_getProof'] = {
  params: /*#__PURE__*/ tuple<StateMethods['eth_getProof']['params']>(
    addressSchema,
    /*#__PURE__*/ array(wordSchema),
    optionalBlock,
  ),
  result: accountProofSchema,
  paramNames: ['address', 'positions', 'block?'],
  effect: 'read',
  blockParam: 2,
  cache: 'block',
  addressPaths: ['0'],
}

/** `eth_getStorageValues`. Source: execution-apis. */
export const eth_getStorageValues: RuleTable<StateMethods>['eth_getStorageValues'] = {
  params: /*#__PURE__*/ tuple<StateMethods['eth_getStorageValues']['params']>(wordsByAddress, optionalBlock),
  result: wordsByAddress,
  paramNames: ['positions', 'block?'],
  effect: 'read',
  blockParam: 1,
  cache: 'block',
  addressPaths: ['0.*'],
}
