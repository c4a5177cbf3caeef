import type { MethodRow as FactsRow } from '../method-spec.ts'
import * as table from '../methods/table.ts'
import { factsIn, minorOf, type StarknetVersion, starknetVersions } from '../versions.ts'
import type { Layout } from './answer.ts'

/** The facts that the adapter needs of a method. */
export interface MethodRow extends AdapterFacts {
  /** Its params in the newest version, in order. */
  readonly params: readonly string[]
  /** The first version with the method. */
  readonly since: StarknetVersion
  /** The first version with each param. Those that came later than the method are lists that may be empty. */
  readonly firstWith: Readonly<Record<string, StarknetVersion>>
  /** Whether it opens or ends a subscription. */
  readonly session: boolean
}

interface AdapterFacts {
  /** Whether the param at `block_id` may not be the block in the making, from 0.9 on. */
  readonly finalBlock?: true
  /** The param that holds a transaction to be sent or tried out, or a list of them. */
  readonly transactions?: string
  /** Places in the answer of the things that versions say differently; absent: all say it alike. */
  readonly answer?: Layout
}

const transaction: Layout = { shape: 'transaction' }

/** The facts that only the adapter needs. */
const adapterFacts: Readonly<Partial<Record<keyof typeof table, AdapterFacts>>> = {
  starknet_getBlockWithTxHashes: { answer: { shape: 'block' } },
  starknet_getBlockWithTxs: { answer: { shape: 'block', members: { transactions: { each: transaction } } } },
  starknet_getBlockWithReceipts: {
    answer: {
      shape: 'block',
      members: { transactions: { each: { members: { transaction, receipt: { shape: 'blockReceipt' } } } } },
    },
  },
  starknet_getStateUpdate: { answer: { shape: 'stateUpdate' } },
  starknet_getTransactionStatus: { answer: { shape: 'status' } },
  starknet_getTransactionByHash: { answer: transaction },
  starknet_getTransactionByBlockIdAndIndex: { answer: transaction },
  starknet_getTransactionReceipt: { answer: { shape: 'receipt' } },
  starknet_getEvents: { answer: { members: { events: { each: { shape: 'event' } } } } },
  starknet_getMessagesStatus: { answer: { each: { shape: 'messageStatus' } } },
  starknet_getStorageProof: { finalBlock: true },
  starknet_estimateFee: { transactions: 'request', answer: { each: { shape: 'fee' } } },
  starknet_estimateMessageFee: { answer: { shape: 'fee' } },
  starknet_simulateTransactions: {
    transactions: 'transactions',
    answer: { each: { members: { transaction_trace: { shape: 'trace' }, fee_estimation: { shape: 'fee' } } } },
  },
  starknet_traceTransaction: { answer: { shape: 'trace' } },
  starknet_traceBlockTransactions: {
    finalBlock: true,
    answer: { each: { members: { trace_root: { shape: 'trace' } } } },
  },
  starknet_addInvokeTransaction: { transactions: 'invoke_transaction' },
  starknet_addDeclareTransaction: { transactions: 'declare_transaction' },
  starknet_addDeployAccountTransaction: { transactions: 'deploy_account_transaction' },
}

/** The methods of all versions, by name. One that is gone again stays: no subscription passes between versions. */
export const methods: Readonly<Record<string, MethodRow>> = Object.fromEntries(
  Object.entries<FactsRow>(table).map(([name, facts]) => [
    name,
    { ...rowOf(facts), ...adapterFacts[name as keyof typeof table] },
  ]),
)

function rowOf({ since, effect }: FactsRow): MethodRow {
  const versions = starknetVersions.filter((version) => minorOf(version) >= Number(Object.keys(since)[0]))
  const namesIn = (version: StarknetVersion): readonly string[] =>
    factsIn(minorOf(version), since).paramNames.map((name) => name.replace('?', ''))
  const params = namesIn(versions.at(-1)!)
  return {
    params,
    since: versions[0]!,
    firstWith: Object.fromEntries(params.map((name) => [name, versions.find((each) => namesIn(each).includes(name))!])),
    session: effect === 'session',
  }
}
