import type { MethodRule } from './method-rules.ts'
import type { NetworkSources } from './network-kind.ts'

/** `optimism_syncStatus` is the rollup node's method: it answers, where one is configured. Source: OP Stack, op-node. */
export function syncStatusRule({ rollupNode }: NetworkSources): MethodRule {
  return { methods: ['optimism_syncStatus'], apply: (next) => rollupNode ?? next }
}
