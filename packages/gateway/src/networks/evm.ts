import { evmMethods } from '@wayleave/evm-types'
import type { NetworkKind } from './network-kind.ts'

/** EVM networks: Ethereum, its test networks, chains of the same interface. */
export const evm: NetworkKind = {
  facts: evmMethods,
  normalise: () => (next) => next,
}
