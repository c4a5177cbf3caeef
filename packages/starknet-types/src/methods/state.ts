import { array, choice, object, optional, type Schema } from '@wayleave/jsonrpc-core/schema'
import { indexSchema } from '../block-id.ts'
import {
  anyClassSchema,
  type CompiledClass,
  compiledClassSchema,
  type ContractClass,
  type DeprecatedContractClass,
} from '../contract-class.ts'
import { type Felt, feltSchema, feltsSchema } from '../felt.ts'
import { type StorageFlag, storageFlags } from '../flags.ts'
import type { StarknetMethodSpec } from '../method-spec.ts'
import { named, type Params } from '../params.ts'
import { type ContractStorageKeys, type StorageProof, storageProofSchema } from '../storage-proof.ts'

/** A value and the block that last changed it, since 0.10.1. */
export interface StorageResult {
  readonly value: Felt
  readonly last_update_block: number
}

interface Slot<B> {
  readonly contract_address: Felt
  readonly key: Felt
  readonly block_id: B
}

/** `starknet_getStorageAt` up to 0.9. `B`: a block. */
export type GetStorageAt<B> = StarknetMethodSpec<
  Params<Slot<B>, readonly [contract_address: Felt, key: Felt, block_id: B]>,
  Felt
>

/** `starknet_getStorageAt` since 0.10.1. */
export type GetFlaggedStorageAt<B> = StarknetMethodSpec<
  Params<
    Slot<B> & { readonly response_flags?: readonly StorageFlag[] },
    readonly [contract_address: Felt, key: Felt, block_id: B, response_flags?: readonly StorageFlag[]]
  >,
  Felt | StorageResult
>

/** What a contract has at a block. */
export type ContractMethod<B, R> = StarknetMethodSpec<
  Params<{ readonly block_id: B; readonly contract_address: Felt }, readonly [block_id: B, contract_address: Felt]>,
  R
>

/** `starknet_getClass`. */
export type GetClass<B> = StarknetMethodSpec<
  Params<{ readonly block_id: B; readonly class_hash: Felt }, readonly [block_id: B, class_hash: Felt]>,
  ContractClass | DeprecatedContractClass
>

interface Proven<B> {
  readonly block_id: B
  readonly class_hashes?: readonly Felt[]
  readonly contract_addresses?: readonly Felt[]
  readonly contracts_storage_keys?: readonly ContractStorageKeys[]
}

/** `starknet_getStorageProof`, since 0.8. */
export type GetStorageProof<B> = StarknetMethodSpec<
  Params<
    Proven<B>,
    readonly [
      block_id: B,
      class_hashes?: readonly Felt[],
      contract_addresses?: readonly Felt[],
      contracts_storage_keys?: readonly ContractStorageKeys[],
    ]
  >,
  StorageProof
>

/** `starknet_getCompiledCasm`, since 0.8. */
export type GetCompiledCasm = StarknetMethodSpec<
  Params<{ readonly class_hash: Felt }, readonly [class_hash: Felt]>,
  CompiledClass
>

const read = { source: 'starknet-specs', effect: 'read' } as const
const slot = {
  ...read,
  summary: 'The value at a key of a contract’s storage; zero where there is none.',
  blockParam: 2,
  cache: 'block',
  addressPaths: ['0'],
  errors: [20, 24],
} as const
const contract = { ...read, blockParam: 0, cache: 'block', addressPaths: ['1'], errors: [24, 20] } as const

/** `starknet_getStorageAt` up to 0.9. */
export function getStorageAt<B>(blockId: Schema<B>): GetStorageAt<B> {
  return {
    ...slot,
    ...named<Slot<B>, readonly [contract_address: Felt, key: Felt, block_id: B]>({
      contract_address: feltSchema,
      key: feltSchema,
      block_id: blockId,
    }),
    result: feltSchema,
  }
}

/** `starknet_getStorageAt` since 0.10.1. */
export function getFlaggedStorageAt<B>(blockId: Schema<B>): GetFlaggedStorageAt<B> {
  const withBlock = object<StorageResult>('a value and its block', {
    value: feltSchema,
    last_update_block: indexSchema,
  })
  return {
    ...slot,
    ...named<
      Slot<B> & { readonly response_flags?: readonly StorageFlag[] },
      readonly [contract_address: Felt, key: Felt, block_id: B, response_flags?: readonly StorageFlag[]]
    >({
      contract_address: feltSchema,
      key: feltSchema,
      block_id: blockId,
      response_flags: optional(storageFlags),
    }),
    result: choice<Felt | StorageResult>('a felt, or a value and its block', (value) =>
      typeof value === 'string' ? feltSchema : withBlock,
    ),
  }
}

/** `starknet_getNonce`. */
export function getNonce<B>(blockId: Schema<B>): ContractMethod<B, Felt> {
  return { ...contract, summary: 'The nonce of a contract.', ...byContract(blockId), result: feltSchema }
}

/** `starknet_getClassHashAt`. */
export function getClassHashAt<B>(blockId: Schema<B>): ContractMethod<B, Felt> {
  return { ...contract, summary: 'The hash of a contract’s class.', ...byContract(blockId), result: feltSchema }
}

/** `starknet_getClassAt`. */
export function getClassAt<B>(blockId: Schema<B>): ContractMethod<B, ContractClass | DeprecatedContractClass> {
  return { ...contract, summary: 'The class of a contract.', ...byContract(blockId), result: anyClassSchema }
}

/** `starknet_getClass`. */
export function getClass<B>(blockId: Schema<B>): GetClass<B> {
  return {
    ...read,
    summary: 'A class by its hash.',
    ...named<{ readonly block_id: B; readonly class_hash: Felt }, readonly [block_id: B, class_hash: Felt]>({
      block_id: blockId,
      class_hash: feltSchema,
    }),
    result: anyClassSchema,
    blockParam: 0,
    cache: 'block',
    errors: [24, 28],
  }
}

/** `starknet_getStorageProof`. */
export function getStorageProof<B>(blockId: Schema<B>): GetStorageProof<B> {
  const keys = object<ContractStorageKeys>('keys of a contract', {
    contract_address: feltSchema,
    storage_keys: feltsSchema,
  })
  return {
    ...read,
    summary: 'Paths through the tries of a block’s state.',
    ...named<Proven<B>, Extract<Parameters<NonNullable<GetStorageProof<B>['params']['type']>>[0], readonly unknown[]>>({
      block_id: blockId,
      class_hashes: optional(feltsSchema),
      contract_addresses: optional(feltsSchema),
      contracts_storage_keys: optional(array(keys)),
    }),
    result: storageProofSchema,
    blockParam: 0,
    cache: 'block',
    addressPaths: ['2', '3.contract_address'],
    errors: [24, 42],
  }
}

/** `starknet_getCompiledCasm`. */
export function getCompiledCasm(): GetCompiledCasm {
  return {
    ...read,
    summary: 'What a class of Cairo 1 is compiled to.',
    ...named<{ readonly class_hash: Felt }, readonly [class_hash: Felt]>({ class_hash: feltSchema }),
    result: compiledClassSchema,
    errors: [100, 28],
  }
}

function byContract<B>(blockId: Schema<B>): Pick<ContractMethod<B, unknown>, 'params' | 'paramNames'> {
  return named<
    { readonly block_id: B; readonly contract_address: Felt },
    readonly [block_id: B, contract_address: Felt]
  >({
    block_id: blockId,
    contract_address: feltSchema,
  })
}
