import { createFilters, evmEvents, filterMethods, getLogs } from '@wayleave/evm-events'
import { evmMethods, evmProviderFacts } from '@wayleave/evm-types'
import type { RpcRequest } from '@wayleave/jsonrpc-core'
import type { AnySchema, MethodFacts } from '@wayleave/jsonrpc-core/schema'
import { evmSigning } from './evm-sent.ts'
import { evmSenders } from './evm-senders.ts'
import { evmHeadAfter, evmLatestOf, evmNonceOf, evmSettledOf } from './evm-reported.ts'
import { evmHeads } from './evm-heads.ts'
import { createAddressReader } from './call-addresses.ts'
import { chainKinds } from './chain-kinds.ts'
import { blockReceiptsRule, storageAtRule } from './block-parameters.ts'
import { evmActions } from './error-actions.ts'
import { evmComparison } from './evm-comparison.ts'
import { evmHistory } from './evm-capabilities.ts'
import { evmFlashblocks } from './evm-flashblocks.ts'
import { evmCache } from './evm-cache.ts'
import { evmPin } from './evm-pin.ts'
import { evmRanges } from './evm-ranges.ts'
import { gasClampRule } from './gas-clamp.ts'
import { evmHeadOf } from './head-of.ts'
import { evmNeeds } from './needs.ts'
import type { NetworkKind, NetworkSources } from './network-kind.ts'
import { rollupInfoRule, syncStatusRule } from './rollup-info.ts'
import type { Stage } from './stage.ts'

const facts = { ...evmProviderFacts, ...evmMethods }
const needs = evmNeeds(evmMethods)
const pin = evmPin(evmMethods)
const ranges = evmRanges(facts)

/** EVM networks: Ethereum, its test networks, chains of the same interface. */
export const evm: NetworkKind = {
  ...chainKinds.evm,
  facts,
  rare: evmProviderFacts,
  heads: evmHeads,
  servesGas: true,
  needs,
  flashblocks: evmFlashblocks(evmMethods),
  history: evmHistory(evmMethods, needs),
  addressesOf,
  headOf: evmHeadOf,
  latestOf: evmLatestOf,
  settledOf: evmSettledOf,
  nonceOf: evmNonceOf,
  headAfter: evmHeadAfter,
  signing: evmSigning,
  senders: evmSenders,
  neverNull: neverNull(),
  actionOf: evmActions(facts, evmSigning.isIdempotent),
  pin,
  cache: evmCache(evmMethods, pin),
  comparison: evmComparison(),
  ranges,
  filters: { methods: filterMethods, serve: createFilters },
  logs: (options) => ({ name: 'logs of any range', methods: [...ranges.methods], apply: getLogs(options) }),
  events: ({ randomBytes, withoutSession = false }) => ({
    name: 'ids of subscriptions',
    methods: ['eth_subscribe', 'eth_unsubscribe'],
    apply: evmEvents({ withoutSession, ...(randomBytes && { randomBytes }) }),
  }),
  rules: evmRules,
}

/** Finds the reads of which null is no result, by their schemas. */
function neverNull(): NonNullable<NetworkKind['neverNull']> {
  const reads = Object.entries<MethodFacts[string] & { readonly result: AnySchema }>(evmMethods).filter(
    ([, { effect, result }]) => effect === 'read' && result.check(null, '') !== undefined,
  )
  return new Map(
    reads.map(([method, { result }]) => [method, result.check([], '') === undefined ? 'list' : 'value'] as const),
  )
}

const addressesIn = createAddressReader(evmMethods, { namedParams: false })

/** Subscriptions that their address bounds. All others but those of heads and hashes tell of any address, whatever their params name. */
const boundByAddress = new Set<unknown>(['logs', 'pendingLogs'])

/** Finds the addresses in a call. Subscriptions to heads have no place for one; whole pending transactions are those of any address. */
function addressesOf(request: RpcRequest): readonly string[] | undefined {
  const { method, params } = request
  if (method !== 'eth_subscribe' && method !== 'eth_newPendingTransactionFilter') return addressesIn(request)
  const args: unknown = params?.value()
  const [kind, flag] = method === 'eth_subscribe' ? listOf(args) : ['newPendingTransactions', listOf(args)[0]]
  if (kind === 'newHeads' || kind === 'syncing') return undefined
  if (kind !== 'newPendingTransactions') return boundByAddress.has(kind) ? addressesIn(request) : []
  return flag === undefined || flag === null || flag === false ? undefined : []
}

function listOf(args: unknown): readonly unknown[] {
  return Array.isArray(args) ? args : []
}

/** EVM rollups: an execution node, and optionally the rollup node beside it. */
export const rollup: NetworkKind = {
  ...evm,
  rules: (sources) => [...evmRules(sources), rollupInfoRule(sources), syncStatusRule(sources)],
}

/** The rules of every network with an execution node. */
function evmRules({ clock, header }: NetworkSources): readonly Stage[] {
  return [blockReceiptsRule, storageAtRule, gasClampRule(clock, header)]
}
