import { chainKinds, isKindName } from '@wayleave/network'
import {
  allowedMethodsOf,
  asWritten,
  chainCheckOf,
  type NetworkConfig,
  networkSchema,
  reportsChain,
} from '@wayleave/network/config'
import { issues } from '@wayleave/jsonrpc-core/schema'
import { expect, it } from 'vitest'

const kinds = Object.keys(chainKinds).filter(isKindName)
const upstreams = ['http://127.0.0.1:1']
const networkOf = (kind: string, members: object = {}): NetworkConfig =>
  ({ kind, upstreams, ...members }) as NetworkConfig

it.each(kinds)('a network of kind %s that names no chain has that of its name only where nodes report none', (kind) => {
  const network = networkOf(kind)
  expect(reportsChain(network)).toBe(chainKinds[kind].reportsChain)
  expect(asWritten('main', network)?.chainId).toBe(chainKinds[kind].reportsChain ? undefined : 'main')
})

it('the answer of its chain check, also a number, is the chain of a network whose nodes report none', () => {
  const chain = { method: 'getblockhash', params: [0], result: 7 }
  const network = networkOf('jsonrpc', { methods: { allow: ['getblockcount'] }, chain })
  expect(asWritten('main', network)).toEqual({ ...network, chainId: '7' })
  expect(chainCheckOf(network)).toBe(chain)
  expect(allowedMethodsOf(network)).toEqual(['getblockcount'])
})

it('a network that names its chain is taken as it is written', () => {
  const network = networkOf('evm', { chainId: 1 })
  expect(asWritten('main', network)).toBe(network)
  expect(chainCheckOf(network)).toBeUndefined()
  expect(allowedMethodsOf(network)).toBeUndefined()
})

it('the refusal of an unknown kind names every kind', () => {
  const [issue] = [...issues(networkSchema, { kind: 'bitcoin', upstreams })]
  expect(issue!.expected.match(/"\w+"/g)).toEqual(kinds.map((kind) => `"${kind}"`))
})
