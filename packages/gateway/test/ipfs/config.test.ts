import { checkConfig, ConfigError } from '@wayleave/gateway'
import { describe, expect, it } from 'vitest'

const minimal = { networks: { mainnet: { kind: 'evm', chainId: 1, upstreams: ['https://node'] } } }
const kept = { ...minimal, dataDir: './data' }

function messageOf(value: unknown): string {
  try {
    checkConfig(value)
  } catch (thrown) {
    if (thrown instanceof ConfigError) return thrown.message
    throw thrown
  }
  return 'taken'
}

describe('the configuration of IPFS', () => {
  it.each([
    [{ ...kept, ipfs: { backend: 'local' } }],
    [{ ...minimal, store: { sqlite: './a.sqlite' }, ipfs: { backend: 'local', dir: './ipfs' } }],
    [
      {
        ...kept,
        ipfs: { backend: 'local', gateways: ['https://gateway'], maxRequestBytes: 1 },
      },
    ],
    [{ ...kept, ipfs: { backend: 'kubo', url: 'http://kubo:5001', stallMs: 1, maxCalls: 1 } }],
    [{ ...kept, ipfs: { backend: 'local', maxUnpinnedBytes: 1, minFreeBytes: 1 } }],
    [
      {
        ...kept,
        ipfs: { backend: 'local' },
        projects: [{ name: 'a', keys: [], billingCard: false, ipfs: { storedBytes: 0, uploadBytes: 2 ** 40 } }],
      },
    ],
  ])('takes %j', (value) => {
    expect(messageOf(value)).toBe('taken')
  })

  it.each([
    [{ ...kept, ipfs: 'local' }, 'ipfs: expected an object whose backend is "local" or "kubo", got something else'],
    [{ ...kept, ipfs: { backend: 'helia' } }, 'ipfs.backend: expected "local" or "kubo", got another value'],
    [{ ...kept, ipfs: { backend: 'kubo' } }, 'ipfs.url: expected an http or https URL, got nothing'],
    [
      { ...kept, ipfs: { backend: 'kubo', url: 'ws://k' } },
      'ipfs.url: expected an http or https URL, got another value',
    ],
    [
      { ...kept, ipfs: { backend: 'kubo', url: 'http://k', minFreeBytes: 1 } },
      /^ipfs\.minFreeBytes: expected one of: .*unknown member$/,
    ],
    [
      { ...kept, ipfs: { backend: 'kubo', url: 'http://k', dir: 'a' } },
      /^ipfs\.dir: expected one of: .*unknown member$/,
    ],
    [
      { ...minimal, store: { sqlite: './a' }, ipfs: { backend: 'local' } },
      'ipfs.dir: expected a folder, as there is no dataDir, got nothing',
    ],
    [
      { ...minimal, ipfs: { backend: 'local', dir: './ipfs' } },
      'store: expected a database beside ipfs, for its pins, got nothing that is kept',
    ],
    [
      { ...kept, store: 'memory', ipfs: { backend: 'kubo', url: 'http://k' } },
      'store: expected a database beside ipfs, for its pins, got nothing that is kept',
    ],
    [
      { ...kept, projects: [{ name: 'a', keys: [], ipfs: { storedBytes: -1 } }] },
      'projects[0].ipfs.storedBytes: expected a whole number of bytes, 0 for none, got -1',
    ],
  ])('refuses %j', (value, message) => {
    if (typeof message === 'string') expect(messageOf(value)).toBe(message)
    else expect(messageOf(value)).toMatch(message)
  })

  it('shows no credentials of a URL', () => {
    expect(messageOf({ ...kept, ipfs: { backend: 'kubo', url: 'ftp://user:S3CR3T@kubo' } })).not.toContain('S3CR3T')
  })
})
