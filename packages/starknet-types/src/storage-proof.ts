import { array, choice, nullable, object, optional, type Schema } from '@wayleave/jsonrpc-core/schema'
import { indexSchema } from './block-id.ts'
import { type Felt, feltSchema, feltsSchema } from './felt.ts'
import { type Hex, hexSchema } from './hex.ts'

/** A node with two children. */
export interface BinaryNode {
  readonly left: Felt
  readonly right: Felt
}

/** A node that stands for a path without branches. */
export interface EdgeNode {
  /** The bits of the path. */
  readonly path: Hex
  /** How many bits; at most 251. */
  readonly length: number
  readonly child: Felt
}

/** A node of a trie and its hash. */
export interface HashedNode {
  readonly node_hash: Felt
  readonly node: BinaryNode | EdgeNode
}

/** Paths through the tries of a block's state. Source: Starknet RPC 0.8, `starknet_getStorageProof`. */
export interface StorageProof {
  readonly classes_proof: readonly HashedNode[]
  readonly contracts_proof: {
    readonly nodes: readonly HashedNode[]
    readonly contract_leaves_data: readonly (ContractLeaf | null)[]
  }
  readonly contracts_storage_proofs: readonly (readonly HashedNode[])[]
  readonly global_roots: {
    readonly contracts_tree_root: Felt
    readonly classes_tree_root: Felt
    readonly block_hash: Felt
  }
}

/** The values that a contract's leaf is hashed from. */
export interface ContractLeaf {
  readonly nonce: Felt
  readonly class_hash: Felt
  readonly storage_root?: Felt
}

/** Keys of a contract's storage. */
export interface ContractStorageKeys {
  readonly contract_address: Felt
  readonly storage_keys: readonly Felt[]
}

const binary: Schema<BinaryNode> = /*#__PURE__*/ object<BinaryNode>('a binary node', {
  left: feltSchema,
  right: feltSchema,
})
const edge: Schema<EdgeNode> = /*#__PURE__*/ object<EdgeNode>('an edge node', {
  path: hexSchema,
  length: indexSchema,
  child: feltSchema,
})
const nodes: Schema<readonly HashedNode[]> = /*#__PURE__*/ array(
  /*#__PURE__*/ object<HashedNode>('a node of a trie', {
    node_hash: feltSchema,
    node: /*#__PURE__*/ choice<BinaryNode | EdgeNode>('a binary or an edge node', (value) =>
      'left' in Object(value) ? binary : edge,
    ),
  }),
)

export const storageProofSchema: Schema<StorageProof> = /*#__PURE__*/ object<StorageProof>('a storage proof', {
  classes_proof: nodes,
  contracts_proof: /*#__PURE__*/ object<StorageProof['contracts_proof']>('proofs of contracts', {
    nodes,
    contract_leaves_data: /*#__PURE__*/ array(
      /*#__PURE__*/ nullable(
        /*#__PURE__*/ object<ContractLeaf>('a leaf of a contract', {
          nonce: feltSchema,
          class_hash: feltSchema,
          storage_root: /*#__PURE__*/ optional(feltSchema),
        }),
      ),
    ),
  }),
  contracts_storage_proofs: /*#__PURE__*/ array(nodes),
  global_roots: /*#__PURE__*/ object<StorageProof['global_roots']>('roots', {
    contracts_tree_root: feltSchema,
    classes_tree_root: feltSchema,
    block_hash: feltSchema,
  }),
})

/** Checks a list of {@link ContractStorageKeys}. */
export const contractStorageKeys: Schema<readonly ContractStorageKeys[]> = /*#__PURE__*/ array(
  /*#__PURE__*/ object<ContractStorageKeys>('keys of a contract', {
    contract_address: feltSchema,
    storage_keys: feltsSchema,
  }),
)
