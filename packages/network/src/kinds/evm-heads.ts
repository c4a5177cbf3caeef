import { rawJsonFromText, type RpcRequest } from '@wayleave/jsonrpc-core'
import type { Header, HeadReader } from '@wayleave/upstream'
import { chainOf, quantityOf, valueOf } from './chain-of.ts'
import { isOpStackHeader } from './evm-flashblocks.ts'

const ask = (method: string, params: string): RpcRequest => ({
  method,
  params: rawJsonFromText(params),
  notification: false,
})

const heads = {
  latest: ask('eth_getBlockByNumber', '["latest",false]'),
  safe: ask('eth_getBlockByNumber', '["safe",false]'),
  finalized: ask('eth_getBlockByNumber', '["finalized",false]'),
}

/** Asks EVM nodes for their chain and their heads. `expectedChain`: the chain id as nodes print it. */
export function evmHeads(expectedChain: string): HeadReader {
  return {
    chainId: ask('eth_chainId', '[]'),
    expectedChain,
    chainOf,
    head: (tag) => heads[tag],
    block: (hash) => ask('eth_getBlockByHash', `["${hash}",false]`),
    positionOf: (response) => headerOf(valueOf(response)),
    newHeads: ask('eth_subscribe', '["newHeads"]'),
    positionOfPush: (item) => headerOf(valueOf({ result: item })),
    mayBeUnsealed: isOpStackHeader,
  }
}

function headerOf(block: unknown): Header | undefined {
  const { number, hash, parentHash, timestamp } = Object(block) as Readonly<Record<string, unknown>>
  const height = quantityOf(number)
  if (height === undefined || !isHash(hash)) return undefined
  return {
    number: height,
    hash: hash.toLowerCase(),
    parentHash: isHash(parentHash) ? parentHash.toLowerCase() : undefined,
    timestamp: quantityOf(timestamp),
  }
}

const isHash = (text: unknown): text is string => typeof text === 'string' && /^0x[\da-f]{64}$/i.test(text)
