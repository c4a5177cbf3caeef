import { evmRules, evm } from './evm.ts'
import { methodRules } from './method-rules.ts'
import type { NetworkKind } from './network-kind.ts'
import { rollupInfoRule } from './rollup-info.ts'
import { syncStatusRule } from './sync-status.ts'

/** EVM rollups: an execution node, and optionally the rollup node beside it. */
export const rollup: NetworkKind = {
  ...evm,
  normalise: (sources) => methodRules([...evmRules(sources), rollupInfoRule(sources), syncStatusRule(sources)]),
}
