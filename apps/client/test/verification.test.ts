import { createClient, type ClientOptions, RpcError } from '@wayleave/client'
import { verify } from '@wayleave/client/verify'
import { describe, expect, it } from 'vitest'
import { failure, servePeer } from './helpers.ts'

/** As a node answered it, on the test chain of ethereum/execution-apis. */
const tx = {
  blockHash: '0xb8a651cb280e169015aef5235a141cb2d905058d1ff9bba788b7ad2c729c9837',
  blockNumber: '0x3',
  from: '0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f',
  gas: '0x5208',
  gasPrice: '0x1',
  hash: '0x3fbac8b19b59077cd29bbacc3815d73577b45a4d976cae80b04c98c793684c07',
  input: '0x',
  nonce: '0x3f',
  to: '0xc7b99a164efd027a93f147376cc7da7c67c6bbe0',
  transactionIndex: '0x0',
  value: '0x1',
  type: '0x0',
  v: '0x1c',
  r: '0xce1cb09c08ecf5c7b63f0ebd9601ad68c83d1084e8b726b94503bbe0aa3b8ffd',
  s: '0x6111304284f68b77a35ef8ec5309314645da11a22f5f87ab81a0ac6a467680c7',
} as const
const forged = { ...tx, from: '0x00000000000000000000000000000000deadbeef' } as const

async function clientOf(result: unknown, check: Parameters<typeof verify>[0] | ClientOptions['verify']) {
  const middleware = check === undefined || typeof check === 'function' ? check : verify(check)
  const { url, seen } = await servePeer(result)
  return { client: createClient({ url, ...(middleware === undefined ? {} : { verify: middleware }) }), seen }
}

describe('verify', () => {
  it('gives what is proven, and refuses what is false by the member that shows it', async () => {
    const { client } = await clientOf(tx, 'proven')
    expect(await client.eth.getTransactionByHash([tx.hash])).toEqual(tx)
    const { client: deceived, seen } = await clientOf(forged, 'proven')
    const why = await failure(deceived.eth.getTransactionByHash([tx.hash]))
    expect(why).toMatchObject({
      name: 'RpcError',
      code: 'invalid_response',
      cause: { name: 'VerifyError', field: 'from' },
    })
    expect(why).toBeInstanceOf(RpcError)
    expect(why.message).toMatch(/^eth_getTransactionByHash\("0x3fba.*deadbeef"$/)
    // The same node would say the same again.
    expect(seen).toHaveLength(1)
    expect(await failure(deceived.requestRaw('eth_getTransactionByHash', [tx.hash]))).toMatchObject({
      cause: { field: 'from' },
    })
  })

  it('tells what was found, member by member', async () => {
    const reports: unknown[] = []
    const { client } = await clientOf(tx, {
      require: 'consistent',
      onVerdict: (verdict, method, anchor) => reports.push([verdict.ok && verdict.fields['value'], method, anchor]),
    })
    await client.eth.getTransactionByHash([tx.hash])
    expect(reports).toEqual([['proven', 'eth_getTransactionByHash', 'question']])
  })

  it('refuses null for what always has a value, with or without an anchor', async () => {
    for (const level of ['consistent', 'proven'] as const) {
      const { client } = await clientOf(null, level)
      const why = await failure(client.eth.getBalance([tx.from, 'latest']))
      expect(why).toMatchObject({ code: 'invalid_response', cause: { name: 'VerifyError', code: 'mismatch' } })
    }
  })

  it('says what to do where nothing vouches for the block', async () => {
    const { client } = await clientOf('0x1', 'proven')
    const why = await failure(client.eth.getBalance([tx.from, 'latest']))
    expect(why).toMatchObject({ code: 'invalid_response', cause: { name: 'VerifyError', code: 'unproven' } })
    expect(why.message).toMatch(/^eth_getBalance\("0x7435.*", "latest"\): nothing vouches for the block: /)
    expect(why.message).toContain("give an anchor, such as verify: { require: 'proven', anchor: { blockHash: '0x…' } }")
  })

  it('is off by default, and leaves alone what it does not know', async () => {
    const { client } = await clientOf(forged, undefined)
    expect(await client.eth.getTransactionByHash([tx.hash])).toEqual(forged)
    const { client: off } = await clientOf(forged, 'off')
    expect(await off.eth.getTransactionByHash([tx.hash])).toEqual(forged)
    const { client: strict } = await clientOf('0x1', 'proven')
    expect(await strict.eth.chainId()).toBe('0x1')
  })

  it('takes a middleware of your own in its place', async () => {
    const methods: string[] = []
    const { client } = await clientOf('0x1', (next) => (request, context) => {
      methods.push(request.method)
      return next(request, context)
    })
    await client.eth.chainId()
    expect(methods).toEqual(['eth_chainId'])
  })

  it('refuses options that mean nothing', async () => {
    const url = 'http://127.0.0.1:1'
    for (const choice of ['yes', {}, null, true] as unknown[] as Parameters<typeof verify>[0][]) {
      expect(() => verify(choice)).toThrow('verify: expected off, consistent, proven or { require, anchor }')
    }
    const anchor = { quorum: { handlers: [], atLeast: 1 } }
    const client = createClient({ url, verify: verify({ require: 'proven', anchor }) })
    for (let i = 0; i < 2; i++)
      expect((await failure(client.eth.chainId())).message).toMatch(/^anchor\.quorum\.atLeast/)
  })
})
