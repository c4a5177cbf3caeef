import type { KindName } from './chain-kinds.ts'
import { evm, rollup } from './evm.ts'
import type { NetworkKind } from './network-kind.ts'

/** The kinds that are always loaded. */
export const networkKinds: Readonly<Record<'evm' | 'rollup', NetworkKind>> = { evm, rollup }

/** Starknet's tables take a while, so they load only for a network that needs them. */
const loaders: Readonly<Record<KindName, () => Promise<NetworkKind>>> = {
  evm: async () => evm,
  rollup: async () => rollup,
  starknet: async () => (await import('./starknet.ts')).starknet,
  jsonrpc: async () => (await import('./jsonrpc.ts')).jsonrpc,
}

/** Loads the kinds of the given networks. */
export async function loadNetworkKinds(
  networks: Iterable<{ readonly kind: KindName }>,
): Promise<(kind: KindName) => NetworkKind> {
  const names = new Set([...networks].map(({ kind }) => kind))
  const loaded = new Map(await Promise.all([...names].map(async (kind) => [kind, await loaders[kind]()] as const)))
  return (kind) => loaded.get(kind)!
}
