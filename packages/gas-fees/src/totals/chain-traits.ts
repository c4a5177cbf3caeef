import { GasFeesError } from '../error.ts'
import { quantity } from '../quantity.ts'
import type { RequestFunction } from '../wallets/suggest-from.ts'

/** The kinds of rollups that charge for data. */
export type RollupKind = 'op' | 'arbitrum' | 'linea' | 'zksync'

/** The traits of a chain on which its fees depend; they never change. */
export interface ChainTraits {
  readonly chainId: bigint
  /** Undefined: none of these. */
  readonly rollup: RollupKind | undefined
}

/** A contract that chains of a kind have from their first block on, and no other chain has. */
const contracts = {
  op: '0x420000000000000000000000000000000000000f',
  arbitrum: '0x0000000000000000000000000000000000000064',
  zksync: '0x000000000000000000000000000000000000800b',
} as const

/** Linea and its testnet have no contract of a fixed address. */
const lineas = new Set([59_144n, 59_141n])

/**
 * Asks a node for its chain id, and which kind of rollup it is of, in four calls.
 * @throws GasFeesError `invalid_response`; whatever `request` rejects with.
 */
export async function chainTraitsFrom(request: RequestFunction): Promise<ChainTraits> {
  async function isThere(address: string): Promise<boolean> {
    const code = await request({ method: 'eth_getCode', params: [address, 'latest'] })
    // Nothing but empty code says that there is none: a chain that is wrongly taken for no rollup has totals that are too low.
    if (typeof code !== 'string' || !/^0x(?:[\da-f]{2})*$/i.test(code)) {
      throw new GasFeesError('invalid_response', `expected the code of a contract at ${address}`)
    }
    return code !== '0x'
  }

  const [answer, op, arbitrum, zksync] = await Promise.all([
    request({ method: 'eth_chainId', params: [] }),
    isThere(contracts.op),
    isThere(contracts.arbitrum),
    isThere(contracts.zksync),
  ])
  const chainId = quantity(answer)
  if (chainId === undefined) throw new GasFeesError('invalid_response', 'expected a quantity as the chain id')
  const rollup = op ? 'op' : arbitrum ? 'arbitrum' : zksync ? 'zksync' : lineas.has(chainId) ? 'linea' : undefined
  return { chainId, rollup }
}
