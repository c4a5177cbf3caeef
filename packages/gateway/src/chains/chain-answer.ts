import type { NetworkConfig } from '../config/network-config.ts'
import { chainFelt } from '../networks/chain-felt.ts'

/** The method that asks a node of a kind for its chain. */
export function chainMethodOf(kind: NetworkConfig['kind']): 'eth_chainId' | 'starknet_chainId' {
  return kind === 'starknet' ? 'starknet_chainId' : 'eth_chainId'
}

/**
 * Reads an answer to {@link chainMethodOf} as a configuration names the chain: a number; for Starknet a short text such as `SN_MAIN`, or
 * else the felt. Undefined for what is no chain id.
 */
export function readChainId(kind: NetworkConfig['kind'], answer: unknown): number | string | undefined {
  if (typeof answer !== 'string' || !/^0x[\da-f]{1,64}$/i.test(answer)) return undefined
  if (kind === 'starknet') return readableFelt(BigInt(answer))
  const id = Number(answer)
  return Number.isSafeInteger(id) && id > 0 ? id : undefined
}

/** Prints a felt as the text whose bytes it is; as hex where that is none. Undefined for what is no felt. */
function readableFelt(felt: bigint): string | undefined {
  const hex = felt.toString(16)
  const short = Buffer.from(hex, 'hex').toString('latin1')
  return chainFelt(short) === `0x${hex}` ? short : chainFelt(`0x${hex}`)
}
