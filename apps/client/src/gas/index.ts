export {
  createGasClient,
  type EthersFeeData,
  ethersFeeData,
  type EthersProvider,
  type FeeLevel,
  type FeeProvider,
  type GasClient,
  type GasClientOptions,
  GasFeesError,
  type GasFeesErrorCode,
  gweiFromWei,
  type LevelTotal,
  type SuggestedFees,
  type SuggestedGasFees,
  type TotalFee,
  type TotalFeeCall,
  type ViemFees,
  viemFees,
  type WalletFeesOptions,
  weiFromGwei,
  withFees,
} from '@wayleave/gas-fees'
export { estimateTotalFee } from './estimate-total-fee.ts'
export { gas, type GasApiOptions } from './gas.ts'
export type { GasMethods, GasOptions } from './gas-calls.ts'
