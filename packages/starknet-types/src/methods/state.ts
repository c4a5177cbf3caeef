import { choice, object, type Schema } from '@wayleave/jsonrpc-core/schema'
import { type BlockId, type BlockIdOf, type BlockTag, indexSchema } from '../block-id.ts'
import {
  type CompiledClass,
  compiledClassSchema,
  type ContractClass,
  type DeprecatedContractClass,
} from '../contract-class.ts'
import { type Felt, feltSchema } from '../felt.ts'
import type { StorageFlag } from '../flags.ts'
import { specOf, type StarknetMethodSpec } from '../method-spec.ts'
import type { Params } from '../params.ts'
import type { ContractStorageKeys, StorageProof } from '../storage-proof.ts'
import type { From, StarknetVersion } from '../versions.ts'
import * as table from './table.ts'

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

type StorageValue<V extends StarknetVersion> = From<V, '0.10', Felt | StorageResult, Felt>

export type GetStorageAt<V extends StarknetVersion> = StarknetMethodSpec<
  From<
    V,
    '0.10',
    Params<
      Slot<BlockId<V>> & { readonly response_flags?: readonly StorageFlag[] },
      readonly [contract_address: Felt, key: Felt, block_id: BlockId<V>, response_flags?: readonly StorageFlag[]]
    >,
    Params<Slot<BlockId<V>>, readonly [contract_address: Felt, key: Felt, block_id: BlockId<V>]>
  >,
  StorageValue<V>
>

type AnyClass = ContractClass | DeprecatedContractClass

/** A method of a version that tells something of a contract at a block. `R`: the answer. */
type ContractMethod<V extends StarknetVersion, R> = StarknetMethodSpec<
  Params<
    { readonly block_id: BlockId<V>; readonly contract_address: Felt },
    readonly [block_id: BlockId<V>, contract_address: Felt]
  >,
  R
>

export type GetNonce<V extends StarknetVersion> = ContractMethod<V, Felt>

export type GetClassHashAt<V extends StarknetVersion> = ContractMethod<V, Felt>

export type GetClassAt<V extends StarknetVersion> = ContractMethod<V, AnyClass>

export type GetClass<V extends StarknetVersion> = StarknetMethodSpec<
  Params<
    { readonly block_id: BlockId<V>; readonly class_hash: Felt },
    readonly [block_id: BlockId<V>, class_hash: Felt]
  >,
  AnyClass
>

/** A block of a version that is no longer being built. */
type ClosedBlockId<V extends StarknetVersion> = BlockIdOf<Exclude<BlockTag<V>, 'pending' | 'pre_confirmed'>>

export type GetStorageProof<V extends StarknetVersion> = StarknetMethodSpec<
  Params<
    {
      readonly block_id: ClosedBlockId<V>
      readonly class_hashes?: readonly Felt[]
      readonly contract_addresses?: readonly Felt[]
      readonly contracts_storage_keys?: readonly ContractStorageKeys[]
    },
    readonly [
      block_id: ClosedBlockId<V>,
      class_hashes?: readonly Felt[],
      contract_addresses?: readonly Felt[],
      contracts_storage_keys?: readonly ContractStorageKeys[],
    ]
  >,
  StorageProof
>

/** Checks the answer of `starknet_getStorageAt` since 0.10. */
export const storageValue_0_10: Schema<Felt | StorageResult> = /*#__PURE__*/ storageValue()

function storageValue(): Schema<Felt | StorageResult> {
  const withBlock = object<StorageResult>('a value and its block', {
    value: feltSchema,
    last_update_block: indexSchema,
  })
  return choice<Felt | StorageResult>('a felt, or a value and its block', (value) =>
    typeof value === 'string' ? feltSchema : withBlock,
  )
}

/** `starknet_getCompiledCasm`. */
export const starknet_getCompiledCasm: StarknetMethodSpec<
  Params<{ readonly class_hash: Felt }, readonly [class_hash: Felt]>,
  CompiledClass
> = /*#__PURE__*/ specOf(8, table.starknet_getCompiledCasm, [feltSchema], compiledClassSchema)
