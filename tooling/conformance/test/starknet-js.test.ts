// starknet.js as it is published, through a gateway before nodes of 0.8 to 0.10, and what each path tells of their one block.
import { createLog, type RunningGateway, startGateway } from '@wayleave/gateway'
import type { AnySchema } from '@wayleave/jsonrpc-core/schema'
import { pathOf, starknetMethods, starknetVersions, versionOf } from '@wayleave/starknet-types'
import { config, RpcProvider } from 'starknet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { httpUrl, key } from './support/gateway.ts'
import { answersOf, type NodeVersion, startStarknetNode, transactionHash } from './support/starknet-node.ts'

const nodes: readonly NodeVersion[] = [8, 9, 10]

describe.each(nodes)('before a node of 0.%i', (version) => {
  let node: Awaited<ReturnType<typeof startStarknetNode>>
  let gateway: RunningGateway
  beforeAll(async () => {
    config.set('logLevel', 'OFF')
    node = await startStarknetNode(version)
    gateway = await startGateway(
      {
        listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
        networks: { sn: { kind: 'starknet', chainId: 'SN_MAIN', followHeads: false, upstreams: [node.url] } },
        projects: [{ name: 'open', keys: [{ key }] }],
      },
      { log: createLog({ level: 'silent' }) },
    )
  })
  afterAll(async () => {
    await gateway.close(0)
    await node[Symbol.asyncDispose]()
  })
  const own = answersOf(version)

  it('the node says nothing beyond its version', () => {
    const spoken = versionOf(own['starknet_specVersion'] as string)!
    for (const [method, answer] of Object.entries(own)) {
      const { result }: { readonly result: AnySchema } = starknetMethods[spoken][method as 'starknet_call']
      expect([method, result.check(answer, 'result')]).toEqual([method, undefined])
    }
  })

  it('the default path names the path to use', async () => {
    await expect(RpcProvider.create({ nodeUrl: httpUrl(gateway) })).rejects.toThrow(
      `end the URL with /rpc/v0_${version}`,
    )
  })

  it.each(['v0_9', 'v0_10'])('reads all that can be told by %s', async (path) => {
    const provider = await RpcProvider.create({ nodeUrl: `${httpUrl(gateway)}/rpc/${path}` })
    const counts = path === 'v0_10' ? { event_count: 1, transaction_count: 1 } : {}
    expect(await provider.getBlock('latest')).toMatchObject({ transactions: [transactionHash], ...counts })
    expect(await provider.getBlockWithTxHashes('latest')).toMatchObject({ transactions: [transactionHash], ...counts })
    const { transactions } = await provider.getBlockWithTxs('latest')
    expect(transactions).toEqual([own['starknet_getTransactionByHash']])
    expect(await provider.getBlockWithReceipts('latest')).toMatchObject(counts)
    expect(await provider.getTransactionByHash(transactionHash)).toEqual(own['starknet_getTransactionByHash'])
    expect(await provider.getTransactionReceipt(transactionHash)).toMatchObject({ value: { block_number: 1 } })
    expect(await provider.getTransactionTrace(transactionHash)).toMatchObject({ type: 'INVOKE' })
    expect(await provider.getBlockTransactionsTraces('latest')).toHaveLength(1)
    expect(await provider.getStateUpdate('latest')).toMatchObject({ new_root: '0x77' })
    expect(await provider.getBlockNumber()).toBe(1)
    expect(await provider.getNonceForAddress('0x1')).toBe('0x1')
    // 0.10 says where in its block an event stands; earlier nodes do not tell.
    const events = provider.getEvents({ from_block: { block_number: 1 }, to_block: 'latest', chunk_size: 5 })
    if (path === 'v0_10' && version < 10) await expect(events).rejects.toThrow(`end the URL with /rpc/v0_${version}`)
    else expect((await events).events).toHaveLength(1)
  })

  it('an answer has no member that another version of the path added', async () => {
    for (const caller of starknetVersions.filter((each) => each !== '0.5.1' && each !== '0.6')) {
      for (const method of Object.keys(own)) {
        if (!Object.hasOwn(starknetMethods[caller], method)) continue
        const response = await fetch(`${httpUrl(gateway)}/rpc/${pathOf(caller)}`, {
          method: 'POST',
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: {} }),
        })
        const text = await response.text()
        expect([caller, method, lateIn(caller).filter((name) => text.includes(`"${name}"`))]).toEqual([
          caller,
          method,
          [],
        ])
      }
    }
  })
})

const added: Readonly<Record<string, readonly string[]>> = {
  '0.8': ['l2_gas_price', 'is_reverted', 'l2_gas_consumed'],
  '0.10': ['event_commitment', 'event_count', 'transaction_index', 'migrated_compiled_classes'],
}

/** Names that no answer to a caller of a version holds. */
function lateIn(caller: (typeof starknetVersions)[number]): readonly string[] {
  const place = starknetVersions.indexOf(caller)
  return [
    'wayleave',
    ...Object.entries(added).flatMap(([since, names]) =>
      place < starknetVersions.indexOf(since as '0.8') ? names : [],
    ),
  ]
}
