import { describe, expect, it } from 'vitest'
import { createHostReader } from '../../src/routes/host.ts'

const read = createHostReader(new Set(['mainnet', 'base-sepolia', 'rpc']), ['rpc.example.org', 'API.example.org'])

describe('a host', () => {
  it.each([
    ['mainnet.example.org', 'mainnet'],
    ['mainnet.example.org:8545', 'mainnet'],
    ['MAINNET.Example.ORG', 'mainnet'],
    ['mainnet.example.org.', 'mainnet'],
    ['base-sepolia.a.b.c', 'base-sepolia'],
    ['mainnet', 'mainnet'],
    ['mainnet:8545', 'mainnet'],
    ['rpc.example.com', 'rpc'],
  ])('%j means the network of its first label', (host, network) => {
    expect(read(host)).toBe(network)
  })

  it.each([
    '',
    'localhost',
    'localhost:8545',
    'LOCALHOST',
    'localhost.',
    'gateway',
    '127.0.0.1',
    '127.0.0.1:8545',
    '[::1]',
    '[::1]:8545',
    '[::ffff:127.0.0.1]:80',
    '[2001:db8::1]',
    ':8545',
  ])('%j is bare and means no network', (host) => {
    expect(read(host)).toBeUndefined()
  })

  it.each(['rpc.example.org', 'rpc.example.org:443', 'RPC.EXAMPLE.ORG', 'rpc.example.org.', 'api.example.org'])(
    '%j is bare because it was configured so',
    (host) => {
      expect(read(host)).toBeUndefined()
    },
  )

  it.each([
    ['polygon.example.org', 'polygon'],
    ['www.mainnet.example.org', 'www'],
    ['mainnet2.example.org', 'mainnet2'],
    ['constructor.example.org', 'constructor'],
    ['.example.org', ''],
  ])('%j names a network that is not here', (host, network) => {
    expect(read(host)).toBe(network)
  })
})
