import {
  anything,
  array,
  boolean,
  object,
  optional,
  type RuleTable,
  type Schema,
  tuple,
} from '@wayleave/jsonrpc-core/schema'
import { type Block, blockShape, type Withdrawal, withdrawalSchema } from '../block.ts'
import { type BlockParameter, optionalBlock } from '../block-parameter.ts'
import { dataSchema, type Hash, hashSchema, type Hex } from '../data.ts'
import { maybe } from '../maybe.ts'
import { type BlockOverrides, blockOverridesShape, type StateOverrides, stateOverridesSchema } from '../overrides.ts'
import { type Quantity, quantitySchema } from '../quantity.ts'
import { type Log, logSchema } from '../receipt.ts'
import { type TransactionCall, transactionCallSchema } from '../transaction-call.ts'

/** {@link BlockOverrides}, with the members that matter if a whole block is made. Source: execution-apis, go-ethereum. */
export interface SimulatedBlockOverrides extends BlockOverrides {
  readonly withdrawals?: readonly Withdrawal[]
  readonly beaconRoot?: Hash
}

/** A block to simulate on top of the previous one. Source: execution-apis. */
export interface BlockStateCall {
  readonly blockOverrides?: SimulatedBlockOverrides
  readonly stateOverrides?: StateOverrides
  readonly calls?: readonly TransactionCall[]
}

/** Blocks to simulate, and options. Source: execution-apis. */
export interface Simulation {
  readonly blockStateCalls: readonly BlockStateCall[]
  /** Adds logs for transfers of wei. */
  readonly traceTransfers?: boolean
  /** Checks nonces, balances and fees as in a real block. */
  readonly validation?: boolean
  readonly returnFullTransactions?: boolean
}

/** The effects of one simulated call. Source: execution-apis. */
export interface SimulatedCall {
  readonly returnData: Hex
  readonly logs?: readonly Log[] | null
  readonly gasUsed: Quantity
  /** 1: success; 0: failed for the reason in {@link SimulatedCall.error}. */
  readonly status: Quantity
  readonly error?: unknown
}

/** A simulated block, with the effects of its calls. Source: execution-apis. */
export interface SimulatedBlock extends Block {
  readonly calls: readonly SimulatedCall[]
}

/** Simulations of whole blocks, which change nothing. */
export interface SimulationMethods {
  readonly eth_simulateV1: {
    readonly params: readonly [simulation: Simulation, block?: BlockParameter]
    readonly result: readonly SimulatedBlock[]
  }
}

const blockStateCallSchema: Schema<BlockStateCall> = object<BlockStateCall>(
  'a block to simulate',
  {
    blockOverrides: optional(
      object<SimulatedBlockOverrides>(
        'overrides of a simulated block',
        { ...blockOverridesShape, withdrawals: optional(array(withdrawalSchema)), beaconRoot: optional(hashSchema) },
        { closed: true },
      ),
    ),
    stateOverrides: optional(stateOverridesSchema),
    calls: optional(array(transactionCallSchema)),
  },
  { closed: true },
)

const simulationSchema: Schema<Simulation> = object<Simulation>(
  'a simulation',
  {
    blockStateCalls: array(blockStateCallSchema),
    traceTransfers: optional(boolean),
    validation: optional(boolean),
    returnFullTransactions: optional(boolean),
  },
  { closed: true },
)

const simulatedBlockSchema: Schema<SimulatedBlock> = object<SimulatedBlock>('a simulated block', {
  ...blockShape,
  calls: array(
    object<SimulatedCall>('what a call did', {
      returnData: dataSchema,
      logs: maybe(array(logSchema)),
      gasUsed: quantitySchema,
      status: quantitySchema,
      error: optional(anything),
    }),
  ),
})

/** `eth_simulateV1`. Source: execution-apis. */
export const eth_simulateV1: RuleTable<SimulationMethods>['eth_simulateV1'] = {
  params: /*#__PURE__*/ tuple<SimulationMethods['eth_simulateV1']['params']>(simulationSchema, optionalBlock),
  result: /*#__PURE__*/ array(simulatedBlockSchema),
  paramNames: ['simulation', 'block?'],
  effect: 'read',
  blockParam: 1,
  cache: 'block',
  addressPaths: [
    '0.blockStateCalls.calls.to',
    '0.blockStateCalls.calls.authorizationList.address',
    '0.blockStateCalls.stateOverrides.*',
  ],
}
