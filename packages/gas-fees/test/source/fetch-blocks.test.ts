import { RpcError } from '@wayleave/jsonrpc-core'
import { expect, it } from 'vitest'
import type { ChainReader } from '../../src/source/chain-reader.ts'
import { fetchBlocks } from '../../src/source/fetch-blocks.ts'

/** Fetches 64 blocks from a node that answers each question with one error, and returns how many blocks it was asked for. */
async function sizesAsked(code: number, message: string): Promise<readonly number[]> {
  const sizes: number[] = []
  const reader = {
    fees: (size: number) => {
      sizes.push(size)
      return Promise.reject(new RpcError('rpc', message, { rpc: { code, message } }))
    },
  } as unknown as ChainReader
  await expect(fetchBlocks(reader, 1_000, 64, [])).rejects.toThrow(message)
  return sizes
}

it.each([
  ['QuickNode', -32007, '50/second request limit reached - reduce calls per second'],
  ['QuickNode', -32003, 'daily request limit reached - upgrade your account'],
  ['Alchemy', -32600, 'Monthly capacity limit exceeded.'],
  ['Ankr', -32052, 'API key is not allowed to access blockchain'],
  ['Infura', -32005, 'project ID request rate exceeded'],
])('a limit of %s that fewer blocks would not mend is no reason to ask again: %i %s', async (_, code, message) => {
  expect(await sizesAsked(code, message)).toEqual([64])
})

it('a node for which it is too many blocks is asked for ever fewer', async () => {
  expect(await sizesAsked(-32005, 'Requested range exceeds maximum RPC range limit')).toEqual([64, 32, 16, 8, 4, 2, 1])
})
