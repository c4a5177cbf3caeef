import { evmEvents } from '@wayleave/evm-events'
import { evmMethods } from '@wayleave/evm-types'
import { blockReceiptsRule } from './block-receipts.ts'
import { gasClampRule } from './gas-clamp.ts'
import { type MethodRule, methodRules } from './method-rules.ts'
import type { NetworkKind, NetworkSources } from './network-kind.ts'
import { storageAtRule } from './storage-at.ts'

/** EVM networks: Ethereum, its test networks, chains of the same interface. */
export const evm: NetworkKind = {
  facts: evmMethods,
  events: () => evmEvents(),
  normalise: (sources) => methodRules(evmRules(sources)),
}

/** The rules of every network with an execution node. */
export function evmRules({ clock }: NetworkSources): readonly MethodRule[] {
  return [blockReceiptsRule, storageAtRule, gasClampRule(clock)]
}
