import { evm } from './evm.ts'
import type { NetworkKind } from './network-kind.ts'
import { rollup } from './rollup.ts'

export const networkKinds: Readonly<Record<'evm' | 'rollup', NetworkKind>> = { evm, rollup }

/** The kinds that networks are of. The tables of Starknet take a while to load, and are loaded only for who has such a network. */
export async function loadNetworkKinds(
  networks: Iterable<{ readonly kind: 'evm' | 'rollup' | 'starknet' }>,
): Promise<(kind: 'evm' | 'rollup' | 'starknet') => NetworkKind> {
  const hasStarknet = [...networks].some(({ kind }) => kind === 'starknet')
  const starknet = hasStarknet ? (await import('./starknet.ts')).starknet : undefined
  return (kind) => (kind === 'starknet' ? starknet! : networkKinds[kind])
}
