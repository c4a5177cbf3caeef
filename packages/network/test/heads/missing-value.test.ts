import { rawJsonFromText } from '@wayleave/jsonrpc-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { evm } from '../../src/kinds/evm.ts'
import { openCalledNetwork, type Reported } from '../callers.ts'
import { startNode, type TestNode } from '../nodes.ts'

/** A node that answers each method with a JSON text. */
async function nodeThatSays(result: string): Promise<TestNode> {
  const node = await startNode(async ({ method }) => ({
    result: rawJsonFromText(method === 'eth_chainId' ? '"0x1"' : result),
  }))
  onTestFinished(() => node.close())
  return node
}

async function ask(nodes: readonly TestNode[], method: string, params: readonly unknown[] = []): Promise<Reported> {
  const upstreams = nodes.map(({ url }) => url)
  const called = await openCalledNetwork({ chainId: 1, upstreams, followHeads: false })
  onTestFinished(() => called.network.close())
  return called.ask(method, params)
}

const address = `0x${'11'.repeat(20)}`
const calls = [
  ['eth_call', [{ to: address }, 'latest']],
  ['eth_getBalance', [address, 'latest']],
  ['eth_blockNumber', []],
  ['eth_gasPrice', []],
  ['eth_getTransactionCount', [address, '0x1']],
  ['eth_getCode', [address, 'latest']],
] as const

describe('null for a method that always has a result', () => {
  it.each(calls)('%s is an error that says so, where the only node answers it', async (method, params) => {
    const { result, error } = await ask([await nodeThatSays('null')], method, params)
    expect(result).toBeUndefined()
    expect(error).toMatchObject({
      code: -32603,
      message: `the upstream answered null to ${method}, which always has a result: it may lack the block that was asked for`,
    })
  })

  it.each(calls)('%s is asked of another node', async (method, params) => {
    const nodes = [await nodeThatSays('null'), await nodeThatSays('"0x5"')]
    expect(await ask(nodes, method, params)).toMatchObject({ result: '0x5' })
  })

  it('is an answer in place of a list, which some nodes say of an empty one, and of what may not be there', async () => {
    const node = await nodeThatSays('null')
    const filter = { fromBlock: '0x1', toBlock: '0x1' }
    for (const [method, params] of [
      ['eth_accounts', []],
      ['eth_getTransactionByHash', [`0x${'22'.repeat(32)}`]],
      ['trace_filter', [filter]],
    ] as const)
      expect(await ask([node], method, params)).toMatchObject({ result: null })
  })

  it('is known by the tables of methods', () => {
    expect(evm.neverNull!.get('eth_feeHistory')).toBe('value')
    expect(evm.neverNull!.get('eth_getLogs')).toBe('list')
    expect(evm.neverNull!.has('eth_getBlockByNumber')).toBe(false)
    expect(evm.neverNull!.has('debug_traceTransaction')).toBe(false)
  })
})
