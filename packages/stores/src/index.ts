export { type StoreFault, StoresError, type StoresErrorCode } from './error.ts'
export type { FeeBlock, FeeRecord, FeeStore } from './fees/fee-store.ts'
export type { Pin, PinLedger, PinQuota, PinUsage } from './pins/pin-ledger.ts'
export { openStores, type Stores, type StoresOptions } from './stores.ts'
