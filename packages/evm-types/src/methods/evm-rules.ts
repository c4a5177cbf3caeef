import type { RuleTable } from '@wayleave/jsonrpc-core/schema'
import * as blocks from './blocks.ts'
import * as chain from './chain.ts'
import * as debugTraces from './debug-traces.ts'
import * as debug from './debug.ts'
import * as execution from './execution.ts'
import * as fees from './fees.ts'
import * as filters from './filters.ts'
import * as node from './node.ts'
import * as receipts from './receipts.ts'
import * as rollup from './rollup.ts'
import * as sending from './sending.ts'
import * as simulation from './simulation.ts'
import * as state from './state.ts'
import * as subscriptions from './subscriptions.ts'
import * as traces from './traces.ts'
import * as transactions from './transactions.ts'
import * as txpool from './txpool.ts'
import * as uncles from './uncles.ts'

/**
 * Params and result of every method: `EvmSchema['eth_getStorageAt']['params']`. `Full`: whether the callers of `eth_getBlockByNumber`
 * and `eth_getBlockByHash` ask for whole transactions.
 */
export interface EvmSchema<Full extends boolean = boolean>
  extends
    chain.ChainMethods,
    fees.FeeMethods,
    state.StateMethods,
    execution.ExecutionMethods,
    simulation.SimulationMethods,
    blocks.BlockMethods<Full>,
    uncles.UncleMethods,
    transactions.TransactionMethods,
    sending.SendingMethods,
    receipts.ReceiptMethods,
    filters.FilterMethods,
    subscriptions.SubscriptionMethods,
    node.NodeMethods,
    debug.DebugMethods,
    debugTraces.DebugTraceMethods,
    traces.TraceMethods,
    txpool.TxpoolMethods,
    rollup.RollupMethods {}

/**
 * Checks and facts of every method, by name, without the sentences about it: for a bundle that runs where nobody reads them. A file of
 * this folder exports its methods, and no other value.
 */
export const evmRules: RuleTable<EvmSchema> = {
  ...chain,
  ...fees,
  ...state,
  ...execution,
  ...simulation,
  ...blocks,
  ...uncles,
  ...transactions,
  ...sending,
  ...receipts,
  ...filters,
  ...subscriptions,
  ...node,
  ...debug,
  ...debugTraces,
  ...traces,
  ...txpool,
  ...rollup,
}
