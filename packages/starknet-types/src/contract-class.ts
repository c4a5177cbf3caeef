import { anything, array, choice, is, object, optional, type Schema, text } from '@wayleave/jsonrpc-core/schema'
import { indexSchema } from './block-id.ts'
import { type Felt, feltSchema, feltsSchema } from './felt.ts'
import { type Hex, hexSchema } from './hex.ts'

/** The functions by which a class can be entered. */
export interface EntryPoints<E> {
  readonly CONSTRUCTOR: readonly E[]
  readonly EXTERNAL: readonly E[]
  readonly L1_HANDLER: readonly E[]
}

/** An entry point of a class of Cairo 1. */
export interface SierraEntryPoint {
  readonly selector: Felt
  readonly function_idx: number
}

/** A class of Cairo 1. Source: Starknet RPC, `CONTRACT_CLASS`. */
export interface ContractClass {
  readonly sierra_program: readonly Felt[]
  readonly contract_class_version: string
  readonly entry_points_by_type: EntryPoints<SierraEntryPoint>
  /** JSON as text, as the one who declared the class wrote it. */
  readonly abi?: string
}

/** An entry point of a class of Cairo 0. */
export interface DeprecatedEntryPoint {
  readonly offset: Hex
  readonly selector: Felt
}

/** A class of Cairo 0. Source: Starknet RPC, `DEPRECATED_CONTRACT_CLASS`. */
export interface DeprecatedContractClass {
  /** Compressed, in base64. */
  readonly program: string
  readonly entry_points_by_type: Partial<EntryPoints<DeprecatedEntryPoint>>
  readonly abi?: readonly Readonly<Record<string, unknown>>[]
}

/** The code that a class of Cairo 1 is compiled to. Source: Starknet RPC 0.8, `CASM_COMPILED_CONTRACT_CLASS`. */
export interface CompiledClass {
  readonly entry_points_by_type: EntryPoints<CompiledEntryPoint>
  readonly bytecode: readonly Felt[]
  readonly prime: Hex
  readonly compiler_version: string
  /** Pairs of a place in the bytecode and what a prover is told there. */
  readonly hints: readonly (readonly unknown[])[]
  readonly bytecode_segment_lengths?: unknown
}

/** An entry point of a {@link CompiledClass}. */
export interface CompiledEntryPoint {
  readonly offset: number
  readonly selector: Felt
  readonly builtins: readonly string[]
}

const entryPoints = <E>(entry: Schema<E>): Schema<EntryPoints<E>> => {
  const list = array(entry)
  return object<EntryPoints<E>>('entry points', { CONSTRUCTOR: list, EXTERNAL: list, L1_HANDLER: list })
}

export const contractClassSchema: Schema<ContractClass> = /*#__PURE__*/ object<ContractClass>('a class of Cairo 1', {
  sierra_program: feltsSchema,
  contract_class_version: /*#__PURE__*/ text('a version'),
  entry_points_by_type: /*#__PURE__*/ entryPoints<SierraEntryPoint>(
    /*#__PURE__*/ object('an entry point', { selector: feltSchema, function_idx: indexSchema }),
  ),
  abi: /*#__PURE__*/ optional(/*#__PURE__*/ text('an ABI as text')),
})

const deprecatedEntryPoints = /*#__PURE__*/ array(
  /*#__PURE__*/ object<DeprecatedEntryPoint>('an entry point', { offset: hexSchema, selector: feltSchema }),
)

export const deprecatedContractClassSchema: Schema<DeprecatedContractClass> =
  /*#__PURE__*/ object<DeprecatedContractClass>('a class of Cairo 0', {
    program: /*#__PURE__*/ is(
      'a program in base64',
      (value) => typeof value === 'string' && value.length % 4 === 0 && /^[A-Za-z\d+/]*={0,2}$/.test(value),
    ),
    entry_points_by_type: /*#__PURE__*/ object<Partial<EntryPoints<DeprecatedEntryPoint>>>('entry points', {
      CONSTRUCTOR: /*#__PURE__*/ optional(deprecatedEntryPoints),
      EXTERNAL: /*#__PURE__*/ optional(deprecatedEntryPoints),
      L1_HANDLER: /*#__PURE__*/ optional(deprecatedEntryPoints),
    }),
    abi: /*#__PURE__*/ optional(
      /*#__PURE__*/ array(/*#__PURE__*/ object<Readonly<Record<string, unknown>>>('an entry', {})),
    ),
  })

/** Checks the class of a contract, whichever Cairo it is written in. */
export const anyClassSchema: Schema<ContractClass | DeprecatedContractClass> = /*#__PURE__*/ choice<
  ContractClass | DeprecatedContractClass
>('a class', (value) => ('sierra_program' in Object(value) ? contractClassSchema : deprecatedContractClassSchema), [
  contractClassSchema,
  deprecatedContractClassSchema,
])

export const compiledClassSchema: Schema<CompiledClass> = /*#__PURE__*/ object<CompiledClass>('a compiled class', {
  entry_points_by_type: /*#__PURE__*/ entryPoints<CompiledEntryPoint>(
    /*#__PURE__*/ object('an entry point', {
      offset: indexSchema,
      selector: feltSchema,
      builtins: /*#__PURE__*/ array(/*#__PURE__*/ text('a name')),
    }),
  ),
  bytecode: feltsSchema,
  prime: hexSchema,
  compiler_version: /*#__PURE__*/ text('a version'),
  hints: /*#__PURE__*/ array(/*#__PURE__*/ array(anything)),
  bytecode_segment_lengths: /*#__PURE__*/ optional(anything),
})
