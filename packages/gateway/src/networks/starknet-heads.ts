import type { RpcRequest } from '@wayleave/jsonrpc-core'
import type { HeadReader } from '@wayleave/upstream'
import { chainOf, valueOf } from './chain-of.ts'

const ask = (method: string): RpcRequest => ({ method, params: undefined, notification: false })

/** Every version of the interface has it; none tells settled blocks by one name. */
const latest = ask('starknet_blockHashAndNumber')

/** Asks Starknet nodes for their chain and their heads. `expectedChain`: the felt as nodes print it. */
export function starknetHeads(expectedChain: string): HeadReader {
  return {
    chainId: ask('starknet_chainId'),
    expectedChain,
    chainOf,
    head: (tag) => (tag === 'latest' ? latest : undefined),
    positionOf(response) {
      const { block_number: number, block_hash: hash } = Object(valueOf(response)) as Readonly<Record<string, unknown>>
      if (!Number.isSafeInteger(number) || (number as number) < 0 || typeof hash !== 'string') return undefined
      return /^0x[\da-f]{1,64}$/i.test(hash)
        ? { number: number as number, hash: `0x${BigInt(hash).toString(16)}` }
        : undefined
    },
  }
}
