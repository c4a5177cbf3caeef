import { array, oneOf, type Schema } from '@wayleave/jsonrpc-core/schema'
import type { From, StarknetVersion } from './versions.ts'

/** The ways in which a simulation can differ from an execution. Source: Spec §4.10. */
export type SimulationFlag = 'SKIP_VALIDATE' | 'SKIP_FEE_CHARGE'

/** Since 0.10.1 a simulation can tell what it read of the state before it. */
export type SimulationFlag_0_10 = SimulationFlag | 'RETURN_INITIAL_READS'

/** The flags of a simulation in a version. */
export type SimulationFlagOf<V extends StarknetVersion> = From<V, '0.10', SimulationFlag_0_10, SimulationFlag>

/** The way in which an estimate can differ from an execution, since 0.6. */
export type EstimateFlag = 'SKIP_VALIDATE'

/** Asks for the proof facts of transactions, since 0.10.1. */
export type TransactionFlag = 'INCLUDE_PROOF_FACTS'
/** Asks for the block that last changed a value, since 0.10.1. */
export type StorageFlag = 'INCLUDE_LAST_UPDATE_BLOCK'
/** Asks for the state that traces read, since 0.10.1. */
export type TraceFlag = 'RETURN_INITIAL_READS'

const flags = <F extends string>(...names: readonly F[]): Schema<readonly F[]> => array(oneOf(...names))

/** Checks a list of {@link SimulationFlag}. */
export const simulationFlags: Schema<readonly SimulationFlag[]> = /*#__PURE__*/ flags(
  'SKIP_VALIDATE',
  'SKIP_FEE_CHARGE',
)
/** Checks a list of {@link SimulationFlag_0_10}. */
export const simulationFlags_0_10: Schema<readonly SimulationFlag_0_10[]> = /*#__PURE__*/ flags(
  'SKIP_VALIDATE',
  'SKIP_FEE_CHARGE',
  'RETURN_INITIAL_READS',
)
/** Checks a list of {@link EstimateFlag}. */
export const estimateFlags: Schema<readonly EstimateFlag[]> = /*#__PURE__*/ flags('SKIP_VALIDATE')
/** Checks a list of {@link TransactionFlag}. */
export const transactionFlags: Schema<readonly TransactionFlag[]> = /*#__PURE__*/ flags('INCLUDE_PROOF_FACTS')
/** Checks a list of {@link StorageFlag}. */
export const storageFlags: Schema<readonly StorageFlag[]> = /*#__PURE__*/ flags('INCLUDE_LAST_UPDATE_BLOCK')
/** Checks a list of {@link TraceFlag}. */
export const traceFlags: Schema<readonly TraceFlag[]> = /*#__PURE__*/ flags('RETURN_INITIAL_READS')
