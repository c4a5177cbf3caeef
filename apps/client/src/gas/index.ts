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
  type SuggestedFees,
  type SuggestedGasFees,
  type ViemFees,
  viemFees,
  type WalletFeesOptions,
  withFees,
} from '@wayleave/gas-fees'
export type { GasMethods, GasOptions } from './gas-calls.ts'
