import { rawJsonFromText, rawJsonFromValue, type RpcRequest } from '@wayleave/jsonrpc-core'
import type { HeadReader } from '@wayleave/upstream'
import { createAddressReader } from './call-addresses.ts'
import { chainKinds } from './chain-kinds.ts'
import { valueOf } from './chain-of.ts'
import type { ChainCheck, NetworkKind } from './network-kind.ts'

/** Bitcoin Core's code while it starts: nothing was done (RPC_IN_WARMUP). */
const warmingUp = -28

/**
 * Nodes of any chain, such as Bitcoin's or Solana's, whose methods are unknown: every call counts as a write, so that it is never repeated after
 * it may have arrived, nor shared, nor kept.
 */
export const jsonrpc: NetworkKind = {
  ...chainKinds.jsonrpc,
  facts: {},
  heads: checkedChain,
  servesGas: false,
  needs: () => undefined,
  addressesOf: createAddressReader({}, { namedParams: true }),
  headOf: () => undefined,
  // Codes beyond JSON-RPC's own mean something else on each chain.
  actionOf: (_, { code }) => (code === -32601 ? 'remember' : code === warmingUp ? 'next' : 'final'),
  events: () => ({ name: 'subscriptions', methods: [], apply: (next) => next }),
  rules: () => [],
}

/** Asks the question of a chain check; without one, any answer shows a node of the chain. */
function checkedChain(expectedChain: string, check: ChainCheck | undefined): HeadReader {
  const question: RpcRequest =
    check === undefined
      ? { method: chainKinds.jsonrpc.chainIdMethod, params: rawJsonFromText('[]'), notification: false }
      : { method: check.method, params: rawJsonFromValue(check.params ?? []), notification: false }
  return {
    chainId: question,
    expectedChain,
    chainOf(response) {
      if (check === undefined) return expectedChain
      const value = valueOf(response)
      return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
    },
    head: () => undefined,
    positionOf: () => undefined,
  }
}
