import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkConfig, type Config, recognizeNode } from '@wayleave/gateway'
import { rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ask, configOf, startWith } from '../reload/support.ts'
import { startNode } from '../support.ts'

/** A node that answers these methods, and the others with -32601. */
async function nodeOf(answers: Readonly<Record<string, unknown>>): Promise<{ url: string; calls: string[] }> {
  const node = await startNode(async ({ method }) =>
    Object.hasOwn(answers, method)
      ? { result: rawJsonFromValue(answers[method]) }
      : { error: { code: -32601, message: 'the method does not exist' } },
  )
  onTestFinished(() => node.close())
  return node
}

const network = (...upstreams: string[]): Config['networks'][string] => ({ kind: 'evm', followHeads: false, upstreams })

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'wayleave-chains-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

describe('a gateway whose networks name no chain', () => {
  it('serves the chain that a node tells, though another one is dead, and keeps it', async () => {
    const dataDir = await folder()
    const { url } = await nodeOf({ eth_chainId: '0x7' })
    const config = checkConfig(configOf({ mainnet: network('http://127.0.0.1:9', url) }, { dataDir }))
    const gateway = await startWith(config)
    expect(gateway.networks).toEqual({ mainnet: 7 })
    expect(gateway.chainSources).toEqual({ mainnet: 'asked' })
    expect(await ask(gateway, 'eth_chainId')).toMatchObject({ status: 200, result: '0x7' })
    expect(JSON.parse(await readFile(join(dataDir, 'chains.json'), 'utf8'))).toEqual({
      mainnet: { kind: 'evm', chainId: 7 },
    })
    await gateway.close(0)
    // Nobody can be asked any more, and nobody has to be.
    const later = await startWith(configOf({ mainnet: network('http://127.0.0.1:9') }, { dataDir }))
    expect([later.networks, later.chainSources]).toEqual([{ mainnet: 7 }, { mainnet: 'kept' }])
  })

  it('takes a network by a reload, and refuses one by name whose node cannot be asked', async () => {
    const [one, two] = [await nodeOf({ eth_chainId: '0x1' }), await nodeOf({ eth_chainId: '0x2' })]
    const gateway = await startWith(configOf({ mainnet: network(one.url) }))
    const refused = await gateway.reload(configOf({ mainnet: network(one.url), other: network('http://127.0.0.1:9') }))
    expect(refused).toMatchObject({
      applied: false,
      problems: [
        {
          path: 'networks.other.chainId',
          expected: 'a chain id, or an upstream that tells it',
          got: 'upstream-1 (http://127.0.0.1:9): nothing listens there (ECONNREFUSED)',
        },
      ],
    })
    expect(gateway.networks).toEqual({ mainnet: 1 })
    const taken = await gateway.reload(configOf({ mainnet: network(one.url), other: network(two.url) }))
    expect(taken).toMatchObject({ applied: true, problems: [] })
    expect(taken.diff.changes.map(({ path }) => path)).toEqual(['networks.other'])
    expect(gateway.networks).toEqual({ mainnet: 1, other: 2 })
    // Known parts are not asked for again.
    expect(one.calls).toEqual(['eth_chainId'])
  })

  it('refuses nodes of two chains, and names both', async () => {
    const [one, two] = [await nodeOf({ eth_chainId: '0x1' }), await nodeOf({ eth_chainId: '0x2' })]
    await expect(startWith(configOf({ mainnet: network(one.url, two.url) }))).rejects.toThrow(
      `networks.mainnet.chainId: expected the chain that is meant, as its upstreams are of several, got ` +
        `chain 1 from upstream-1 (${one.url}), chain 2 from upstream-2 (${two.url})`,
    )
  })
})

describe('recognizeNode', () => {
  it.each([
    ['an EVM node', { eth_chainId: '0x539' }, { kind: 'evm', chainId: 1337 }],
    ['a rollup', { eth_chainId: '0x385', rollup_getInfo: { mode: 'verifier' } }, { kind: 'rollup', chainId: 901 }],
    ['a Starknet node', { starknet_chainId: '0x534e5f4d41494e' }, { kind: 'starknet', chainId: 'SN_MAIN' }],
    ['a Starknet chain without a text', { starknet_chainId: '0x1' }, { kind: 'starknet', chainId: '0x1' }],
  ])('tells %s', async (_what, answers, expected) => {
    expect(await recognizeNode((await nodeOf(answers)).url)).toEqual(expected)
  })

  it('tells a rollup node from the execution node beside it', async () => {
    const { url } = await nodeOf({ optimism_version: 'v1' })
    expect(await recognizeNode(url)).toEqual({
      fault: 'it is a rollup node: give the URL of the execution node beside it',
      isUnreachable: false,
    })
  })

  it.each([
    ['is none', { net_version: '1' }, 'it answers error -32601: the method does not exist'],
    ['answers nonsense', { eth_chainId: 'mainnet' }, 'its answer to eth_chainId is no chain id'],
  ])('says why something %s', async (_what, answers, fault) => {
    expect(await recognizeNode((await nodeOf(answers)).url)).toEqual({ fault, isUnreachable: false })
  })

  it('says that nothing listens', async () => {
    expect(await recognizeNode('http://127.0.0.1:9')).toEqual({
      fault: 'nothing listens there (ECONNREFUSED)',
      isUnreachable: true,
    })
  })
})
