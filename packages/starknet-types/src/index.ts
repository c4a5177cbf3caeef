export { type BlockByHash, type BlockByNumber, type BlockId, type BlockIdOf, type BlockTag } from './block-id.ts'
export type { Block, BlockHeader, BlockStatus, OpenBlockHeader, ResourcePrice } from './block.ts'
export type {
  BroadcastDeclare,
  BroadcastDeployAccount,
  BroadcastInvoke,
  BroadcastTransaction,
} from './broadcast-transaction.ts'
export type {
  CompiledClass,
  CompiledEntryPoint,
  ContractClass,
  DeprecatedContractClass,
  DeprecatedEntryPoint,
  EntryPoints,
  SierraEntryPoint,
} from './contract-class.ts'
export type {
  BroadcastDeclareV1,
  BroadcastDeclareV2,
  BroadcastDeclareV3,
  DeclareV0,
  DeclareV1,
  DeclareV2,
  DeclareV3,
} from './declare.ts'
export type { DeployAccountV1, DeployAccountV3 } from './deploy-account.ts'
export {
  type ContractExecutionError,
  isStarknetError,
  type StarknetError,
  type StarknetErrorCode,
  type StarknetErrorEntry,
  starknetErrorsOf,
} from './errors.ts'
export type { EmittedEvent, Event, EventContent, EventFilter, EventsPage } from './event.ts'
export type { FeeEstimate, PriceUnit } from './fee-estimate.ts'
export { canonicalFelt, type Felt, feltSchema, fieldPrime, parseFelt, printFelt } from './felt.ts'
export type { EstimateFlag, SimulationFlag, StorageFlag, TraceFlag, TransactionFlag } from './flags.ts'
export type { Hex } from './hex.ts'
export type { InvokeV0, InvokeV1, InvokeV3, ProvenInvokeV3 } from './invoke.ts'
export type { StarknetMethodSpec, StarknetMethodTable, StarknetSubscriptionFacts } from './method-spec.ts'
export type { BlockHashAndNumber, NoParams, SyncStatus } from './methods/chain.ts'
export type { FunctionCall, MessageFromL1 } from './methods/execution.ts'
export type { Sent, SentDeclare, SentDeployAccount } from './methods/sending.ts'
export type { StorageResult } from './methods/state.ts'
export type { SubscriptionId } from './methods/subscriptions.ts'
export type { NotificationOf, Reorg, StarknetNotifications } from './notifications.ts'
export { type Params, positionalParams } from './params.ts'
export type { FeePayment, Receipt, ReceiptWithBlockInfo } from './receipt.ts'
export type { CallGas, Computation, ComputationAndData, TransactionGas } from './resources.ts'
export { decodeShortString, encodeShortString } from './short-string.ts'
export type { BlockTrace, InitialReads, Simulated, SimulatedWithReads, TracesWithReads } from './simulation.ts'
export { starknetMethods, type StarknetMethods, type StarknetSchema } from './starknet-methods.ts'
export type { ClosedStateUpdate, DeclaredClass, OpenStateUpdate, StateDiff, StateUpdate } from './state-update.ts'
export type {
  BinaryNode,
  ContractLeaf,
  ContractStorageKeys,
  EdgeNode,
  HashedNode,
  StorageProof,
} from './storage-proof.ts'
export type {
  FunctionInvocation,
  MessageToL1,
  OrderedEvent,
  OrderedMessage,
  Reverted,
  TransactionTrace,
} from './trace.ts'
export type {
  DataAvailabilityMode,
  ResourceBounds,
  ResourceBoundsMapping,
  TransactionVersion,
} from './transaction-parts.ts'
export type { ExecutionStatus, MessageStatus, TransactionStatus } from './transaction-status.ts'
export type { Deploy, L1Handler, Transaction, TransactionWithHash } from './transaction.ts'
export { pathOf, type StarknetVersion, starknetVersions, versionOf, versionOfPath } from './versions.ts'
