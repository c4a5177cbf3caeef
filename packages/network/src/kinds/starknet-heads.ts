import { rawJsonFromText, type RpcRequest } from '@wayleave/jsonrpc-core'
import type { HeadReader, HeadTag } from '@wayleave/upstream'
import { chainOf, valueOf } from './chain-of.ts'

const ask = (method: string, params?: string): RpcRequest => ({
  method,
  params: params === undefined ? undefined : rawJsonFromText(params),
  notification: false,
})

/** Every version of the interface has the first one. The second one is of 0.9; earlier nodes refuse it. */
const heads: Readonly<Record<HeadTag, RpcRequest | undefined>> = {
  latest: ask('starknet_blockHashAndNumber'),
  safe: undefined,
  finalized: ask('starknet_getBlockWithTxHashes', '["l1_accepted"]'),
}

/** Asks Starknet nodes for their chain and their heads. `expectedChain`: the felt as nodes print it. */
export function starknetHeads(expectedChain: string): HeadReader {
  return {
    chainId: ask('starknet_chainId'),
    expectedChain,
    chainOf,
    head: (tag) => heads[tag],
    positionOf(response) {
      const block = Object(valueOf(response)) as Readonly<Record<string, unknown>>
      const { block_number: number, block_hash: hash, status = 'ACCEPTED_ON_L1' } = block
      // A node that takes the tag for another block tells nothing of finality.
      if (status !== 'ACCEPTED_ON_L1') return undefined
      if (!Number.isSafeInteger(number) || (number as number) < 0 || typeof hash !== 'string') return undefined
      return /^0x[\da-f]{1,64}$/i.test(hash)
        ? { number: number as number, hash: `0x${BigInt(hash).toString(16)}` }
        : undefined
    },
  }
}
