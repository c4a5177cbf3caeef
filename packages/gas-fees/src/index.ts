export type { FeeBlock, FeeHistory } from './fee-history.ts'
export type { FeeLevel, FeeOffer, FeePromise, FeeStrategy } from './strategy.ts'
export type { FeeTrend, Gwei, Incompleteness, SuggestedFees, SuggestedGasFees } from './suggestion.ts'
export { nextBaseFee, type ParentBlock } from './base-fee.ts'
export { baseFeeHistory, baseFeePercentile, busyThreshold } from './base-fees.ts'
export {
  blobBaseFee,
  type BlobFork,
  type BlobParent,
  type BlobSchedule,
  blobSchedules,
  nextBlobBaseFee,
  nextExcessBlobGas,
} from './blobs/blob-base-fee.ts'
export { type BlobFeeOffer, suggestBlobFee } from './blobs/suggest-blob-fee.ts'
export { feeHistoryFromAnswer, type FeeHistoryOptions } from './fee-history-from-answer.ts'
export { ethFromWei, gweiFromWei, weiFromGwei } from './gwei.ts'
export { metamask } from './strategies/metamask.ts'
export { wayleave } from './strategies/wayleave.ts'
export {
  createPromiseLedger,
  judgePromise,
  type OfferedBlock,
  type PromiseLedger,
  type PromiseOutcome,
  type PromiseTally,
} from './promise-ledger.ts'
export { type Cancellation, cancellationOf, type PendingTransaction } from './replacement/cancellation.ts'
export { type NonceCounts, type NoncePlace, noncePlaceOf } from './replacement/nonce-place.ts'
export {
  type PendingFees,
  replacementFees,
  type ReplacementFees,
  type ReplacementMarket,
} from './replacement/replacement-fees.ts'
export { fastLzSize } from './rollups/fast-lz-size.ts'
export { type OpFeeFork, type OpFeeParameters, opL1Fee, type OpL1FeeOptions } from './rollups/op-l1-fee.ts'
export { opOperatorFee, type OperatorFeeFork, type OperatorFeeParameters } from './rollups/op-operator-fee.ts'
export {
  arbitrumFeeFrom,
  lineaFeeFrom,
  opL1FeeFrom,
  opOperatorFeeFrom,
  type RollupCall,
  type RollupFee,
  zkSyncFeeFrom,
} from './rollups/rollup-fees.ts'
export { type ChainTraits, chainTraitsFrom, type RollupKind } from './totals/chain-traits.ts'
export { type TotalFeeCall } from './totals/read-transaction.ts'
export {
  type LevelTotal,
  printTotalFee,
  type TotalFee,
  totalFeeFrom,
  type TotalFeeOptions,
} from './totals/total-fee.ts'
export { suggestGasFees, type SuggestGasFeesOptions } from './suggest-gas-fees.ts'
export { type EthersFeeData, ethersFeeData, type EthersProvider } from './wallets/ethers-fee-data.ts'
export { type FeeFields, type FeeQuantity, fillFees, offerOf } from './wallets/fill-fees.ts'
export {
  type RequestFunction,
  suggestBlobFeeFrom,
  suggestFrom,
  type SuggestFromOptions,
  type WalletFeesOptions,
} from './wallets/suggest-from.ts'
export { type ViemFees, viemFees, type ViemFeesArguments } from './wallets/viem-fees.ts'
export { type FeeProvider, withFees } from './wallets/with-fees.ts'
export { GasFeesError, type GasFeesErrorCode, type GasFeesErrorOptions } from './error.ts'
export { type BlockPrice, type BlockPrices, blockPricesOf, type EstimatedPrice } from './api/block-prices.ts'
export type { GasAnswer } from './api/gas-answer.ts'
export { createGasApi, type GasApi, type GasApiOptions, type GasRequest, type NoFees } from './api/gas-api.ts'
export { createGasClient, type GasCallOptions, type GasClient, type GasClientOptions } from './client/gas-client.ts'
export { localSuggestions, type LocalSuggestionsOptions } from './client/local-suggestions.ts'
export type { FeeAnswer, FeeView, PrintedAnswer } from './source/fee-answer.ts'
export { createFeeSource, type FeeReading, type FeeSource, type FeeSourceOptions } from './source/fee-source.ts'
export type { HeadChange, HeadSource } from './source/head-source.ts'
export type { BaseFeeRun } from './source/base-fee-run.ts'
export { createMemoryFeeStore, type FeeRecord, type FeeStore } from './source/fee-store.ts'
