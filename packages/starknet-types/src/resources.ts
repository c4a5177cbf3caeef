import { object, optional, type Schema } from '@wayleave/jsonrpc-core/schema'
import { indexSchema } from './block-id.ts'
import { both } from './both.ts'
import { objectOf } from './object-of.ts'
import { type Hex, hexSchema } from './hex.ts'

/** Counts of the steps and builtins that Cairo is proven by; `N`: a number since 0.6, hex before. */
export interface Computation<N> {
  readonly steps: N
  readonly memory_holes?: N
  readonly range_check_builtin_applications?: N
  readonly pedersen_builtin_applications?: N
  readonly poseidon_builtin_applications?: N
  readonly ec_op_builtin_applications?: N
  readonly ecdsa_builtin_applications?: N
  readonly bitwise_builtin_applications?: N
  readonly keccak_builtin_applications?: N
  readonly segment_arena_builtin?: N
}

/** The resources of a whole transaction, in 0.7. */
export interface ComputationAndData extends Computation<number> {
  readonly data_availability: { readonly l1_gas: number; readonly l1_data_gas: number }
}

/** The gas of a call and those it made, since 0.8. */
export interface CallGas {
  readonly l1_gas: number
  readonly l2_gas: number
}

/** The gas of a whole transaction, since 0.8. */
export interface TransactionGas extends CallGas {
  readonly l1_data_gas: number
}

const words = 'execution resources'

function computation<N>(count: Schema<N>): Schema<Computation<N>> {
  const maybe = optional(count as Schema<Exclude<N, undefined>>)
  return objectOf<Computation<N>>(words, {
    steps: count,
    memory_holes: maybe,
    range_check_builtin_applications: maybe,
    pedersen_builtin_applications: maybe,
    poseidon_builtin_applications: maybe,
    ec_op_builtin_applications: maybe,
    ecdsa_builtin_applications: maybe,
    bitwise_builtin_applications: maybe,
    keccak_builtin_applications: maybe,
    segment_arena_builtin: maybe,
  })
}

export const computation_0_5: Schema<Computation<Hex>> = /*#__PURE__*/ computation(hexSchema)

/** Checks a {@link Computation} of 0.6 and 0.7. */
export const computation_0_6: Schema<Computation<number>> = /*#__PURE__*/ computation(indexSchema)

export const computationAndData: Schema<ComputationAndData> = /*#__PURE__*/ both(
  computation_0_6,
  /*#__PURE__*/ object<Pick<ComputationAndData, 'data_availability'>>(words, {
    data_availability: /*#__PURE__*/ object<ComputationAndData['data_availability']>('gas for data', {
      l1_gas: indexSchema,
      l1_data_gas: indexSchema,
    }),
  }),
)

export const callGas: Schema<CallGas> = /*#__PURE__*/ object<CallGas>(words, {
  l1_gas: indexSchema,
  l2_gas: indexSchema,
})

export const transactionGas: Schema<TransactionGas> = /*#__PURE__*/ object<TransactionGas>(words, {
  l1_gas: indexSchema,
  l2_gas: indexSchema,
  l1_data_gas: indexSchema,
})
