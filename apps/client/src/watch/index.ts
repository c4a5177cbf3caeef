export type { WatchOptions } from './patience.ts'
export { type ReceiptWaitOptions, waitForTransactionReceipt } from './wait-for-receipt.ts'
export { type EventWatchOptions, watchBlocks, type WatchClient, watchLogs } from './watch.ts'
