/**
 * The members of each transaction that enter its hash, as `starknet_getTransactionByHash` answers it: felts and numbers are hex strings.
 * `version` may be the one of a query, too: `0x100000000000000000000000000000003` for 3. Other members do no harm.
 */
export interface HashableInvokeV0 {
  readonly version: string
  readonly contract_address: string
  readonly entry_point_selector: string
  readonly calldata: readonly string[]
  readonly max_fee: string
}

export interface HashableInvokeV1 {
  readonly version: string
  readonly sender_address: string
  readonly calldata: readonly string[]
  readonly max_fee: string
  readonly nonce: string
}

/** The most that a transaction may use of a resource (64 bits), and pay for a unit of it in fri (128 bits). */
export interface HashableBound {
  readonly max_amount: string
  readonly max_price_per_unit: string
}

/** The members of every transaction of version 3. */
export interface HashableV3Fields {
  readonly version: string
  readonly nonce: string
  readonly tip: string
  /** Without `l1_data_gas`, the hash of before Starknet 0.13.4. Nodes add zeros to such transactions: see `isTransactionHash`. */
  readonly resource_bounds: {
    readonly l1_gas: HashableBound
    readonly l2_gas: HashableBound
    readonly l1_data_gas?: HashableBound | undefined
  }
  readonly paymaster_data: readonly string[]
  readonly nonce_data_availability_mode: 'L1' | 'L2'
  readonly fee_data_availability_mode: 'L1' | 'L2'
}

export interface HashableInvokeV3 extends HashableV3Fields {
  readonly sender_address: string
  readonly calldata: readonly string[]
  readonly account_deployment_data: readonly string[]
  /** Since version 0.10.1 of the RPC, whose nodes leave it out unless asked: without it, a transaction that has some hashes to another. */
  readonly proof_facts?: readonly string[] | undefined
}

/** Version 0 has a nonce of zero, which its hash leaves out. */
export interface HashableDeclareV0 {
  readonly version: string
  readonly sender_address: string
  readonly max_fee: string
  readonly class_hash: string
}

export interface HashableDeclareV1 extends HashableDeclareV0 {
  readonly nonce: string
}

/** `class_hash` is `sierraClassHash(contract_class)` where a transaction carries the class itself. */
export interface HashableDeclareV2 extends HashableDeclareV1 {
  readonly compiled_class_hash: string
}

export interface HashableDeclareV3 extends HashableV3Fields {
  readonly sender_address: string
  readonly class_hash: string
  readonly compiled_class_hash: string
  readonly account_deployment_data: readonly string[]
}

export interface HashableDeploy {
  readonly version: string
  readonly class_hash: string
  readonly contract_address_salt: string
  readonly constructor_calldata: readonly string[]
}

export interface HashableDeployAccountV1 extends HashableDeploy {
  readonly max_fee: string
  readonly nonce: string
}

export interface HashableDeployAccountV3 extends HashableV3Fields, HashableDeploy {}

export interface HashableL1Handler {
  readonly version: string
  readonly contract_address: string
  readonly entry_point_selector: string
  readonly calldata: readonly string[]
  readonly nonce: string
}

/** A class compiled to Sierra, as `starknet_addDeclareTransaction` takes it and `starknet_getClass` answers it. */
export interface SierraClass {
  readonly sierra_program: readonly string[]
  readonly contract_class_version: string
  readonly entry_points_by_type: {
    readonly EXTERNAL: readonly SierraEntryPoint[]
    readonly L1_HANDLER: readonly SierraEntryPoint[]
    readonly CONSTRUCTOR: readonly SierraEntryPoint[]
  }
  /** The text itself is hashed: every space counts. */
  readonly abi?: string | undefined
}

export interface SierraEntryPoint {
  readonly selector: string
  readonly function_idx: number
}

/** A declaration that is yet to be sent holds the class instead of its hash. */
type WithClass<Declared> = Declared | (Omit<Declared, 'class_hash'> & { readonly contract_class: SierraClass })

/** A transaction of any type and version. */
export type HashableTransaction =
  | ({ readonly type: 'INVOKE' } & (HashableInvokeV0 | HashableInvokeV1 | HashableInvokeV3))
  | ({ readonly type: 'DECLARE' } & (
      | HashableDeclareV0
      | HashableDeclareV1
      | WithClass<HashableDeclareV2>
      | WithClass<HashableDeclareV3>
    ))
  | ({ readonly type: 'DEPLOY' } & HashableDeploy)
  | ({ readonly type: 'DEPLOY_ACCOUNT' } & (HashableDeployAccountV1 | HashableDeployAccountV3))
  | ({ readonly type: 'L1_HANDLER' } & HashableL1Handler)
