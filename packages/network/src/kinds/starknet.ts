import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'
import { pathOf, starknetMethods, starknetVersions, versionOfPath } from '@wayleave/starknet-types'
import { undecided } from './api-version.ts'
import { type AddressFacts, createAddressReader } from './call-addresses.ts'
import { chainKinds } from './chain-kinds.ts'
import { opensSubscription } from './method-facts.ts'
import type { NetworkKind } from './network-kind.ts'
import { starknetActions } from './starknet-error-actions.ts'
import { starknetCache } from './starknet-cache.ts'
import { starknetEvents } from './starknet-events.ts'
import { starknetHeads } from './starknet-heads.ts'
import { starknetHeadOf, starknetNeeds } from './starknet-needs.ts'
import { translateStarknet } from './starknet-translate.ts'
import { hintsOf } from '../hints/call-hints.ts'

/** The effect of a method is the same in every version that has it; the places of its params are not. */
const facts: MethodFacts = Object.fromEntries(
  starknetVersions.flatMap((version) =>
    Object.entries<MethodFacts[string]>(starknetMethods[version]).map(([method, { summary, effect, subscription }]) => [
      method,
      { summary, effect, ...(subscription && { subscription }) },
    ]),
  ),
)

const usual = '0.5.1'

const addressesIn = new Map(
  starknetVersions.map((version) => {
    const table: AddressFacts = starknetMethods[version]
    return [version as string, createAddressReader(table, { namedParams: true })] as const
  }),
)

const events = starknetEvents((method) => opensSubscription(facts, method))

/** Starknet: callers and nodes speak versions of the interface from 0.5.1 on, and need not speak the same. */
export const starknet: NetworkKind = {
  ...chainKinds.starknet,
  facts,
  heads: starknetHeads,
  servesGas: false,
  needs: starknetNeeds,
  addressesOf: (request) => (addressesIn.get(hintsOf(request).apiVersion ?? usual) ?? addressesIn.get(usual)!)(request),
  headOf: starknetHeadOf,
  actionOf: starknetActions(facts),
  cache: starknetCache(),
  apiVersions: {
    usual,
    unnamed: ({ method }) => (method === 'starknet_specVersion' ? undecided : usual),
    segments: starknetVersions.map(pathOf),
    ofSegment: versionOfPath,
    translate: translateStarknet,
  },
  // Also of methods that have no table yet.
  events: (options) => ({ name: 'ids of subscriptions', apply: events(options) }),
  rules: () => [],
}
