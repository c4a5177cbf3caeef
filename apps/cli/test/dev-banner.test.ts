import { Writable } from 'node:stream'
import { WriteStream } from 'node:tty'
import { devAccounts } from '@wayleave/dev-node'
import type { RunningGateway } from '@wayleave/gateway'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { banner } from '../src/dev-banner.ts'

const gateway = {
  rpc: 'http://127.0.0.1:8545',
  ws: 'ws://127.0.0.1:8545',
  ipfs: 'http://127.0.0.1:5001',
  admin: 'http://127.0.0.1:8546',
  networks: { dev: 31337, 'rollup-dev': 901 },
} as unknown as RunningGateway

const none = { why: 'no starknet-devnet is on the PATH' }

/** A stream as a terminal of 256 colours has it. */
function stream(isTTY: boolean): NodeJS.WriteStream {
  return Object.assign(new Writable(), {
    isTTY,
    getColorDepth: WriteStream.prototype.getColorDepth,
  }) as unknown as NodeJS.WriteStream
}

describe('the banner of wayleave dev', () => {
  beforeEach(() => {
    vi.stubEnv('TERM', 'xterm-256color')
    for (const name of ['CI', 'FORCE_COLOR', 'NO_COLOR', 'NODE_DISABLE_COLORS']) vi.stubEnv(name, undefined)
  })

  afterEach(() => vi.unstubAllEnvs())

  it('has escape codes on a terminal alone, and none where NO_COLOR is set', () => {
    expect(banner(gateway, none, '.wayleave', stream(true))).toContain('\x1b[1mwayleave dev\x1b[22m')
    expect(banner(gateway, none, '.wayleave', stream(false))).not.toContain('\x1b')
    vi.stubEnv('NO_COLOR', '1')
    expect(banner(gateway, none, '.wayleave', stream(true))).not.toContain('\x1b')
  })

  it('has the address of the console where there is one', () => {
    const page = 'http://127.0.0.1:8546/console/'
    const withConsole = { ...gateway, console: page } as RunningGateway
    const lines = banner(withConsole, none, '.wayleave', stream(false)).split('\n')
    const [found] = lines.filter((line) => line.includes('console'))
    expect(found).toBe(`  console   ${page}`)
    const place = (name: string): number => lines.find((line) => line.startsWith(`  ${name} `))!.indexOf('http')
    expect(place('ipfs')).toBe(place('console'))
    expect(banner(gateway, none, '.wayleave', stream(false))).not.toContain('console')
  })

  it('fits a terminal of 80 columns and 24 lines', () => {
    const withConsole = { ...gateway, console: 'http://127.0.0.1:8546/console/' } as RunningGateway
    const lines = banner(withConsole, none, '.wayleave', stream(false)).split('\n')
    expect(lines.length).toBeLessThanOrEqual(24)
    expect(lines.filter((line) => line.length > 80)).toEqual([])
  })

  it('has a call to copy', () => {
    expect(banner(gateway, none, '.wayleave', stream(false))).toContain(`
  curl http://127.0.0.1:8545/v3/0123456789abcdef0123456789abcdef \\
    -H 'content-type: application/json' \\
    -d '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
`)
  })

  it('names both transports of each network below its name', () => {
    expect(banner(gateway, none, '.wayleave', stream(false)).split('\n').slice(2, 8)).toEqual([
      '  dev, chain 31337',
      '    http://127.0.0.1:8545/v3/0123456789abcdef0123456789abcdef',
      '    ws://127.0.0.1:8545/ws/v3/0123456789abcdef0123456789abcdef',
      '  rollup-dev, chain 901',
      '    http://127.0.0.1:8545/rollup-dev/v3/0123456789abcdef0123456789abcdef',
      '    ws://127.0.0.1:8545/rollup-dev/ws/v3/0123456789abcdef0123456789abcdef',
    ])
  })

  it('shows an account that can be imported, and that its key is public', () => {
    const lines = banner(gateway, none, '.wayleave', stream(false)).split('\n')
    const begin = lines.findIndex((line) => line.startsWith('  account'))
    expect(lines.slice(begin, begin + 4)).toEqual([
      `  account   ${devAccounts[0]!.address}`,
      `  its key   ${devAccounts[0]!.privateKey}`,
      '  mnemonic  test test test test test test test test test test test junk',
      'Everybody knows these keys, and nine more accounts: use them nowhere else.',
    ])
  })

  it('says in one line why there is no Starknet network', () => {
    const lines = banner(gateway, none, '.wayleave', stream(false)).split('\n')
    expect(lines.filter((line) => line.includes('starknet'))).toEqual([
      '  starknet-dev not here: no starknet-devnet is on the PATH',
    ])
  })

  it('shows the Starknet network, with a path of a version and an account', () => {
    const balance = { wei: 1n, fri: 1n }
    const accounts = [1, 2, 3, 4].map((i) => ({ address: `0xa${i}`, privateKey: `0xb${i}`, publicKey: '0xc', balance }))
    const withStarknet = { ...gateway, networks: { dev: 31337, 'starknet-dev': 'SN_SEPOLIA' } } as RunningGateway
    const lines = banner(withStarknet, { accounts, specVersion: '0.10.0' }, '.wayleave', stream(false)).split('\n')
    const path = '127.0.0.1:8545/starknet-dev/v3/0123456789abcdef0123456789abcdef'
    const begin = lines.findIndex((line) => line.startsWith('  starknet-dev'))
    expect(lines.slice(begin, begin + 6)).toEqual([
      `  starknet-dev, chain SN_SEPOLIA`,
      `    http://${path}`,
      `    ws://127.0.0.1:8545/starknet-dev/ws/v3/0123456789abcdef0123456789abcdef`,
      `    http://${path}/rpc/v0_10 for starknet.js`,
      `  account   0xa1`,
      `  its key   0xb1`,
    ])
  })

  it.each([
    ['0.8.1', 'v0_9'],
    ['0.9.0', 'v0_9'],
    ['0.10.2', 'v0_10'],
    ['0.11.0', 'v0_10'],
    [undefined, 'v0_10'],
  ])('names for a node of %s the path that starknet.js can use: %s', (specVersion, path) => {
    const withStarknet = { ...gateway, networks: { 'starknet-dev': 'SN_SEPOLIA' } } as RunningGateway
    const text = banner(withStarknet, { accounts: [], specVersion }, '.wayleave', stream(false))
    expect(/\/rpc\/(\w+) for starknet\.js\n/.exec(text)?.[1]).toBe(path)
  })
})
