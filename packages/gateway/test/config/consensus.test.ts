import { checkConfig, type ConfigError, printProblem } from '@wayleave/gateway'
import { describe, expect, it } from 'vitest'
import { consensusRules } from '@wayleave/network/internal/config/consensus-config'

const urls = ['https://a', 'https://b', 'https://c']

function problemsOf(network: object, consensus: object): readonly string[] {
  const value = { networks: { mainnet: { kind: 'evm', chainId: 1, upstreams: urls, consensus, ...network } } }
  try {
    checkConfig(value)
  } catch (thrown) {
    return (thrown as ConfigError).problems.map((problem) => printProblem(problem))
  }
  return []
}

const at = 'networks.mainnet.consensus'
const methods = ['eth_call', 'eth_getLogs']

describe('networks.*.consensus', () => {
  it.each([{ methods }, { methods, participants: 3, agreement: 2, onDispute: 'head' }])('takes %j', (consensus) =>
    expect(problemsOf({}, consensus)).toEqual([]),
  )

  it.each<[object, object, string]>([
    [{}, {}, `${at}.methods: expected an array, each a name of letters, digits, - and _, got nothing`],
    [
      {},
      { methods: ['eth_call', 'eth_gasPrice'] },
      `${at}.methods[1]: expected a method whose answer is the same at every node, such as eth_call, got "eth_gasPrice"`,
    ],
    [
      {},
      { methods, participants: 4 },
      `${at}.participants: expected at least two upstreams, and no more participants than there are (3), got 4`,
    ],
    [
      { upstreams: ['https://a'] },
      { methods },
      `${at}.participants: expected at least two upstreams, and no more participants than there are (1), got 1`,
    ],
    [
      { upstreams: ['https://a', 'https://b', { url: 'https://c', private: true }] },
      { methods, participants: 3 },
      `${at}.participants: expected at least two upstreams that are not private, and no more participants than there are (2), got 3`,
    ],
    [
      { upstreams: ['https://a', 'https://A:443/', 'wss://a', 'https://b'] },
      { methods, participants: 3 },
      `${at}.participants: expected at least two nodes, and no more participants than there are (2), got 3`,
    ],
    [{}, { methods, participants: 2, agreement: 3 }, `${at}.agreement: expected at most participants (2), got 3`],
    [{}, { methods, agreement: 1 }, `${at}.agreement: expected a number of upstreams from 2 up, got 1`],
    [
      { followHeads: false },
      { methods },
      `${at}: expected followHeads beside it, as answers are compared at one block, got followHeads: false`,
    ],
    [
      { verify: 'consistent' },
      { methods, onDispute: 'verified' },
      `${at}.onDispute: expected verify: proven beside it, of the network or of an upstream, got "verified"`,
    ],
    [
      { kind: 'starknet', chainId: 'SN_MAIN' },
      { methods },
      `${at}: expected no such member: a network of kind starknet has none, got one`,
    ],
  ])('refuses, beside %j, %j', (network, consensus, message) => {
    expect(problemsOf(network, consensus)).toContain(message)
  })

  it('has two of three agree by default, and both of two', () => {
    expect(consensusRules({ methods }, 5)).toMatchObject({ participants: 3, agreement: 2 })
    expect(consensusRules({ methods }, 2)).toMatchObject({ participants: 2, agreement: 2 })
    expect(consensusRules({ methods, participants: 5 }, 5)).toMatchObject({ agreement: 3 })
  })
})

describe('networks.*.policy', () => {
  it.each(['evm', 'starknet'])('is a function, on a network of kind %s', (kind) => {
    const chainId = kind === 'evm' ? 1 : 'SN_MAIN'
    const network = (policy: unknown): object => ({
      networks: { n: { kind, chainId, upstreams: ['https://a'], policy } },
    })
    expect(checkConfig(network((eligible: unknown) => eligible))).toBeDefined()
    expect(() => checkConfig(network('fastest'))).toThrow(
      'networks.n.policy: expected a function, which only a .ts or .js configuration can have, got ',
    )
  })
})
