import { describe, expect, test } from 'vitest'
import { type AccessRequest, createAccessCheck, parseRules, type RuleEntries } from '../src/index.ts'

interface Call {
  readonly method: string
  readonly addresses?: readonly string[]
}

const check = createAccessCheck<Call>({ addressesOf: ({ addresses }) => addresses })
const project = { id: 'p', name: 'p', requireSecret: false }
const allowed = { allowed: true }
const denied = (reason: string) => ({ allowed: false, reason })

const plain: AccessRequest = { networks: [], source: '10.0.0.1', origin: undefined, userAgent: undefined }
const request = (rules: RuleEntries, over: Partial<AccessRequest>) =>
  check.decideRequest({ project, rules: parseRules(rules) }, { ...plain, ...over })
const call = (rules: RuleEntries, method: string, addresses?: readonly string[]) =>
  check.decideCall({ project, rules: parseRules(rules) }, { method, ...(addresses === undefined ? {} : { addresses }) })

test('without rules all pass, and no address is looked for', () => {
  const nosy = createAccessCheck<Call>({
    addressesOf() {
      throw new Error('it was asked')
    },
  })
  expect(nosy.decideCall({ project }, { method: 'eth_call' })).toEqual(allowed)
  expect(nosy.decideCall({ project, rules: parseRules({ methods: ['eth_call'] }) }, { method: 'eth_call' })).toEqual(
    allowed,
  )
  expect(check.decideRequest({ project }, { ...plain, source: '' })).toEqual(allowed)
})

test('a network: one of those asked for must be the project’s', () => {
  const mine = { project: { ...project, networks: ['mainnet'] } }
  expect(check.decideRequest(mine, { ...plain, networks: ['sepolia', 'mainnet'] })).toEqual(allowed)
  expect(check.decideRequest(mine, plain)).toEqual(allowed)
  expect(check.decideRequest(mine, { ...plain, networks: ['sepolia'] })).toEqual(denied('network'))
})

test('a source: an address of one of the blocks', () => {
  const rules = { sources: ['192.168.0.0/16', '10.0.0.1'] }
  expect(request(rules, { source: '10.0.0.1' })).toEqual(allowed)
  expect(request(rules, { source: '10.0.0.2' })).toEqual(denied('source'))
  expect(request(rules, { source: '' })).toEqual(denied('source'))
})

test('an origin: none is refused where there is a list', () => {
  const rules = { origins: ['https://a.example.com', 'https://*.b.example.com'] }
  expect(request(rules, { origin: 'https://x.b.example.com' })).toEqual(allowed)
  expect(request(rules, { origin: 'https://c.example.com' })).toEqual(denied('origin'))
  expect(request(rules, {})).toEqual(denied('origin'))
})

test('a user agent: part of it is enough, in the same case', () => {
  const rules = { userAgents: ['MetaMask/', 'viem'] }
  expect(request(rules, { userAgent: 'Mozilla/5.0 MetaMask/12.1' })).toEqual(allowed)
  expect(request(rules, { userAgent: 'metamask/12.1' })).toEqual(denied('user_agent'))
  expect(request(rules, {})).toEqual(denied('user_agent'))
})

test('a method: exact', () => {
  const rules = { methods: ['eth_call', 'eth_chainId'] }
  expect(call(rules, 'eth_chainId')).toEqual(allowed)
  for (const method of ['eth_callMany', 'ETH_CALL', 'eth_call ', '', 'constructor']) {
    expect(call(rules, method)).toEqual(denied('method'))
  }
})

describe('an address', () => {
  const contract = '0x7F39C581f595B53c5cb19bD0b3f8dA6c935E2Ca0'
  const rules = { addresses: [contract, '0x049d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7'] }

  test('passes in any case, and padded as Starknet’s clients write it', () => {
    expect(call(rules, 'eth_call', [contract.toLowerCase()])).toEqual(allowed)
    expect(call(rules, 'eth_call', [`0x${contract.slice(2).toUpperCase()}`])).toEqual(allowed)
    const bare = '0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7'
    expect(call(rules, 'starknet_call', [bare])).toEqual(allowed)
  })

  test('must be listed, each of a call', () => {
    const other = `0x${'1'.repeat(40)}`
    expect(call(rules, 'eth_getLogs', [contract, other])).toEqual(denied('address'))
    expect(call(rules, 'eth_call', [other])).toEqual(denied('address'))
    for (const text of ['', `zz${contract.slice(2)}`, contract.slice(2), `${contract} `, 'latest']) {
      expect(call(rules, 'eth_call', [text])).toEqual(denied('address'))
    }
  })

  test('that a call leaves open is refused, and a method without a place for one is not concerned', () => {
    expect(call(rules, 'eth_getLogs', [])).toEqual(denied('address'))
    expect(call(rules, 'eth_blockNumber')).toEqual(allowed)
  })
})

test('entries of a list are ORed and the lists ANDed', () => {
  const rules = { origins: ['a.com', 'b.com'], userAgents: ['viem', 'ethers'], sources: ['10.0.0.0/8'] }
  const good = { origin: 'https://b.com', userAgent: 'ethers/6', source: '10.9.9.9' }
  expect(request(rules, good)).toEqual(allowed)
  expect(request(rules, { ...good, origin: 'https://c.com' })).toEqual(denied('origin'))
  expect(request(rules, { ...good, userAgent: 'curl' })).toEqual(denied('user_agent'))
  expect(request(rules, { ...good, source: '11.0.0.1' })).toEqual(denied('source'))
  const both = { methods: ['eth_call'], addresses: ['0x1'] }
  expect(call(both, 'eth_call', ['0x1'])).toEqual(allowed)
  expect(call(both, 'eth_getCode', ['0x1'])).toEqual(denied('method'))
  expect(call(both, 'eth_call', ['0x2'])).toEqual(denied('address'))
})
