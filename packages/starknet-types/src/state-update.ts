import { array, choice, object, optional, type Schema } from '@wayleave/jsonrpc-core/schema'
import { type Felt, feltSchema, feltsSchema } from './felt.ts'

/** A class and the hash of what it is compiled to. */
export interface DeclaredClass {
  readonly class_hash: Felt
  readonly compiled_class_hash: Felt
}

/** Changes of the state. Source: Spec §2.9; Starknet RPC, `STATE_DIFF`. */
export interface StateDiff {
  readonly storage_diffs: readonly {
    readonly address: Felt
    readonly storage_entries: readonly { readonly key: Felt; readonly value: Felt }[]
  }[]
  /** Hashes of declared classes of Cairo 0. */
  readonly deprecated_declared_classes: readonly Felt[]
  readonly declared_classes: readonly DeclaredClass[]
  readonly deployed_contracts: readonly { readonly address: Felt; readonly class_hash: Felt }[]
  readonly replaced_classes: readonly { readonly contract_address: Felt; readonly class_hash: Felt }[]
  readonly nonces: readonly { readonly contract_address: Felt; readonly nonce: Felt }[]
  /** Classes that were compiled anew, since 0.10. */
  readonly migrated_compiled_classes?: readonly DeclaredClass[]
}

/** The changes of a block. */
export interface ClosedStateUpdate {
  readonly block_hash: Felt
  readonly old_root: Felt
  readonly new_root: Felt
  readonly state_diff: StateDiff
}

/** The changes so far of a block that is being built. */
export interface OpenStateUpdate {
  readonly block_hash?: never
  readonly new_root?: never
  /** May be absent since 0.10. */
  readonly old_root?: Felt
  readonly state_diff: StateDiff
}

/** Source: Starknet RPC, `STATE_UPDATE` and `PENDING_STATE_UPDATE` or `PRE_CONFIRMED_STATE_UPDATE`. */
export type StateUpdate = ClosedStateUpdate | OpenStateUpdate

/** The path of an issue tells which list the entry is in. */
const entry = 'an entry'

const classes: Schema<readonly DeclaredClass[]> = /*#__PURE__*/ array(
  /*#__PURE__*/ object<DeclaredClass>(entry, { class_hash: feltSchema, compiled_class_hash: feltSchema }),
)

export const stateDiffSchema: Schema<StateDiff> = /*#__PURE__*/ object<StateDiff>('a state diff', {
  storage_diffs: /*#__PURE__*/ array(
    /*#__PURE__*/ object<StateDiff['storage_diffs'][number]>(entry, {
      address: feltSchema,
      storage_entries: /*#__PURE__*/ array(
        /*#__PURE__*/ object<{ readonly key: Felt; readonly value: Felt }>(entry, {
          key: feltSchema,
          value: feltSchema,
        }),
      ),
    }),
  ),
  deprecated_declared_classes: feltsSchema,
  declared_classes: classes,
  deployed_contracts: /*#__PURE__*/ array(
    /*#__PURE__*/ object<StateDiff['deployed_contracts'][number]>(entry, {
      address: feltSchema,
      class_hash: feltSchema,
    }),
  ),
  replaced_classes: /*#__PURE__*/ array(
    /*#__PURE__*/ object<StateDiff['replaced_classes'][number]>(entry, {
      contract_address: feltSchema,
      class_hash: feltSchema,
    }),
  ),
  nonces: /*#__PURE__*/ array(
    /*#__PURE__*/ object<StateDiff['nonces'][number]>(entry, { contract_address: feltSchema, nonce: feltSchema }),
  ),
  migrated_compiled_classes: /*#__PURE__*/ optional(classes),
})

const closed: Schema<ClosedStateUpdate> = /*#__PURE__*/ object<ClosedStateUpdate>('a state update', {
  block_hash: feltSchema,
  old_root: feltSchema,
  new_root: feltSchema,
  state_diff: stateDiffSchema,
})
const open: Schema<Pick<OpenStateUpdate, 'old_root' | 'state_diff'>> = /*#__PURE__*/ object<
  Pick<OpenStateUpdate, 'old_root' | 'state_diff'>
>('a state update', {
  old_root: /*#__PURE__*/ optional(feltSchema),
  state_diff: stateDiffSchema,
})

export const stateUpdateSchema: Schema<StateUpdate> = /*#__PURE__*/ choice<StateUpdate>('a state update', (value) =>
  'block_hash' in Object(value) ? closed : open,
)
