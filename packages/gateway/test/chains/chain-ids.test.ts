import { checkConfig, ConfigError, recognizeNode } from '@wayleave/gateway'
import { rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { configOf, startWith } from '../reload/support.ts'
import { send, startNode } from '../support.ts'

/** A node that answers these methods, and the others with -32601. */
async function nodeOf(answers: Readonly<Record<string, unknown>>): Promise<string> {
  const node = await startNode(async ({ method }) =>
    Object.hasOwn(answers, method)
      ? { result: rawJsonFromValue(answers[method]) }
      : { error: { code: -32601, message: 'the method does not exist' } },
  )
  onTestFinished(() => node.close())
  return node.url
}

/** The paths of the problems of a configuration with one network. */
function problemsOf(network: object): readonly string[] {
  try {
    checkConfig({ networks: { mine: { upstreams: ['ws://node'], ...network } } })
    return []
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown
    return thrown.problems.map(({ path }) => path)
  }
}

const largestFelt = '0x800000000000011000000000000000000000000000000000000000000000000'

describe('a node is of the chain that it tells', () => {
  it.each([
    ['evm', 1, { eth_chainId: '0x1' }],
    ['evm', 8453, { eth_chainId: '0x2105' }],
    ['rollup', 10, { eth_chainId: '0xa', rollup_getInfo: {} }],
    ['starknet', 'SN_MAIN', { starknet_chainId: '0x534e5f4d41494e' }],
    ['starknet', 'SN_SEPOLIA', { starknet_chainId: '0x534e5f5345504f4c4941' }],
    ['starknet', '0x1', { starknet_chainId: '0x1' }],
    ['starknet', largestFelt, { starknet_chainId: largestFelt }],
    ['starknet', 'A'.repeat(31), { starknet_chainId: `0x${'41'.repeat(31)}` }],
  ])('of kind %s: %s', async (kind, chainId, answers) => {
    expect(await recognizeNode(await nodeOf(answers))).toEqual({ kind, chainId })
  })

  it.each(['0x0', '0x', 'SN_MAIN', 1, null, `0x${'f'.repeat(64)}`])(
    'and of none where it answers %s',
    async (answer) => {
      for (const method of ['eth_chainId', 'starknet_chainId']) {
        expect(await recognizeNode(await nodeOf({ [method]: answer }))).toHaveProperty('fault')
      }
    },
  )
})

describe('a chain of Starknet', () => {
  it.each([
    // The ids that nodes of both public networks answer.
    ['SN_MAIN', '0x534e5f4d41494e'],
    ['SN_SEPOLIA', '0x534e5f5345504f4c4941'],
    ['0x534E5F4D41494E', '0x534e5f4d41494e'],
    ['0x00001', '0x1'],
    [largestFelt, largestFelt],
    ['A'.repeat(31), `0x${'41'.repeat(31)}`],
  ])('that is named %s is that of nodes that tell %s', async (chainId, felt) => {
    const upstreams = [await nodeOf({ starknet_chainId: felt }), await nodeOf({ starknet_chainId: `${felt}1` })]
    const gateway = await startWith(checkConfig(configOf({ mainnet: { kind: 'starknet', chainId, upstreams } })))
    const chains = async (): Promise<unknown> => {
      const { networks } = JSON.parse((await send(gateway.admin, '/status')).body)
      return networks.mainnet.upstreams.map(({ chain }: { readonly chain: string }) => chain)
    }
    await expect.poll(chains).toEqual(['right', 'wrong'])
  })

  it.each([
    '',
    '0x',
    '0x0',
    '0xg',
    'A'.repeat(32),
    'Ä',
    'SN MAIN',
    '0x800000000000011000000000000000000000000000000000000000000000001',
  ])('is not named "%s"', (chainId) => {
    expect(problemsOf({ kind: 'starknet', chainId })).toEqual(['networks.mine.chainId'])
  })
})

it.each(['constructor', 'toString', 'jsonrpc2', undefined])('a network is of no kind %s', (kind) => {
  expect(problemsOf({ kind, chainId: 1 })).toContain('networks.mine.kind')
})
