import type { RpcContext, RpcMiddleware, RpcResponse } from '@wayleave/jsonrpc-core'
import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'
import { pathOf, starknetMethods, starknetVersions, versionOfPath } from '@wayleave/starknet-types'
import type { NetworkKind } from './network-kind.ts'
import { translateStarknet } from './starknet-translate.ts'

const noSubscriptions: RpcResponse = {
  error: { code: -32601, message: 'subscriptions of Starknet are not served here; poll instead' },
}

/** Whether a call is one of a subscription, in any version, also of methods that have no table yet. */
const isOfSubscription = (method: string): boolean => /^starknet_(un)?subscribe/i.test(method)

const refuseSubscriptions: RpcMiddleware<RpcContext> = (next) => (request, context) =>
  isOfSubscription(request.method) ? Promise.resolve(noSubscriptions) : next(request, context)

/** What a method does to a chain is the same in every version that has it; where its params stand is not. */
const facts: MethodFacts = Object.fromEntries(
  starknetVersions.flatMap((version) =>
    Object.entries<MethodFacts[string]>(starknetMethods[version]).map(([method, { summary, effect, subscription }]) => [
      method,
      { summary, effect, ...(subscription && { subscription }) },
    ]),
  ),
)

/** Starknet: callers and nodes speak versions of the interface from 0.5.1 on, and need not speak the same. */
export const starknet: NetworkKind = {
  facts,
  dialects: {
    usual: '0.5.1',
    segments: starknetVersions.map(pathOf),
    ofSegment: versionOfPath,
    translate: translateStarknet,
  },
  events: () => refuseSubscriptions,
  normalise: () => (next) => next,
}
