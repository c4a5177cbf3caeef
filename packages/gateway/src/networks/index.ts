import { evm, rollup } from './evm.ts'
import type { NetworkKind } from './network-kind.ts'

/** The kinds that are always loaded. */
export const networkKinds: Readonly<Record<'evm' | 'rollup', NetworkKind>> = { evm, rollup }

/** Loads the kinds of the given networks. Starknet's tables take a while, so they load only for a network that needs them. */
export async function loadNetworkKinds(
  networks: Iterable<{ readonly kind: 'evm' | 'rollup' | 'starknet' }>,
): Promise<(kind: 'evm' | 'rollup' | 'starknet') => NetworkKind> {
  const hasStarknet = [...networks].some(({ kind }) => kind === 'starknet')
  const starknet = hasStarknet ? (await import('./starknet.ts')).starknet : undefined
  return (kind) => (kind === 'starknet' ? starknet! : networkKinds[kind])
}
