import type { Hash, Header, Log, Receipt, Transaction } from '@wayleave/evm-types'
import {
  createClient,
  type EventIterator,
  type EventOf,
  type SubscriptionParams,
  type SyncingEvent,
} from '../../src/index.ts'

const client = createClient({ url: 'ws://127.0.0.1:9' })

/** Tells whether two types are the same, in both directions and for `any`. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

// The kind decides on the event.
export const heads: Promise<EventIterator<Header>> = client.events(['newHeads'])
export const headsFrom: Promise<EventIterator<Header>> = client.events(['newHeads', { fromBlock: '0x1' }])
export const logs: Promise<EventIterator<Log>> = client.events(['logs', { address: `0x${'11'.repeat(20)}` }])
export const receipts: Promise<EventIterator<readonly Receipt[]>> = client.events(['transactionReceipts'])
export const hashes: Promise<EventIterator<Hash>> = client.events(['newPendingTransactions'])
export const transactions: Promise<EventIterator<Transaction>> = client.events(['newPendingTransactions', true])
export const syncing: Promise<EventIterator<SyncingEvent>> = client.events(['syncing'])
export const ofLogs = client.events(['logs', {}])

// Each exactly, so that none is `any` or `unknown`.
export const exact: readonly true[] = [
  true satisfies Same<EventOf<readonly ['newHeads']>, Header>,
  true satisfies Same<EventOf<readonly ['logs', object]>, Log>,
  true satisfies Same<EventOf<readonly ['transactionReceipts']>, readonly Receipt[]>,
  true satisfies Same<EventOf<readonly ['newPendingTransactions', false]>, Hash>,
  true satisfies Same<EventOf<readonly ['newPendingTransactions', boolean]>, Hash | Transaction>,
  true satisfies Same<Awaited<typeof ofLogs>, EventIterator<Log>>,
]

/** Reads events as their kind has them. */
export async function read(): Promise<void> {
  for await (const { number, baseFeePerGas } of await client.events(['newHeads'])) void [number, baseFeePerGas]
  // @ts-expect-error a head has no topics
  for await (const { topics } of await client.events(['newHeads'])) void topics
  for await (const { topics, removed } of await client.events(['logs', {}])) void [topics, removed]
  // @ts-expect-error a hash has no sender
  for await (const { from } of await client.events(['newPendingTransactions'])) void from
}

// @ts-expect-error a kind that is not known
void client.events(['newFlashblocks'])
// @ts-expect-error a filter of another shape
void client.events(['logs', { address: 7 }])
// @ts-expect-error logs without a filter
void client.events(['logs'])
// A kind that is chosen later may have any of the events.
export const chosen = (params: SubscriptionParams): Promise<EventIterator<EventOf<SubscriptionParams>>> =>
  client.events(params)
