import { generateKeyPairSync } from 'node:crypto'
import { sha256Hex } from '@wayleave/auth'
import { checkConfig, ConfigError, printProblem, namedProjects, type Config } from '@wayleave/gateway'
import { describe, expect, it } from 'vitest'
import { accountsOf } from '../../src/config/accounts.ts'
import { toProblem } from '../../src/config/check.ts'
import { configWarnings } from '../../src/config/warnings.ts'
import { createTokenSigner } from '../tokens.ts'

const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams: ['ws://node'] } }
const key = 'a-key-that-is-long-enough'
const hash = `sha256:${'ab'.repeat(32)}`
const { pem } = createTokenSigner('ES256', 'ec').entry

function problemsOf(project: object, more: object = {}): readonly string[] {
  try {
    checkConfig({ networks, projects: [{ name: 'p', keys: [], ...project }], ...more })
    return []
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown
    return thrown.problems.map((problem) => printProblem(problem))
  }
}

describe('a project', () => {
  it('may have everything at once', () => {
    const project = {
      requireSecret: true,
      requireJwt: true,
      jwt: { keys: [{ id: 'ec-1', pem }], audience: 'shop' },
      rules: {
        methods: ['eth_call'],
        addresses: [`0x${'A'.repeat(40)}`],
        origins: ['https://*.example.com', 'app.example.com', 'https://'],
        userAgents: ['MyWallet/'],
        sources: ['192.0.2.0/24', '2001:db8::1'],
      },
      secretBypassesRules: true,
      keys: [
        { key, secret: 's', label: 'for the shop', expiresAt: '2027-01-31' },
        { keyHash: hash, secrets: [{ secretHash: hash, expiresAt: '2027-01-31T12:00:00+02:00' }, { secret: 't' }] },
      ],
    }
    expect(problemsOf(project, { trustedProxies: ['10.0.0.0/8', '::1'] })).toEqual([])
  })

  const address = `projects[0].keys[0]`
  const expired = 'expected a moment such as 2027-01-31T12:00:00Z, or a day such as 2027-01-31'
  const isHash = 'expected sha256: and the 64 hex digits of a SHA-256, got another value'
  const publicKey = 'expected a public key in PEM: RSA of 2,048 to 8,192 bits, or EC on P-256'
  const { publicKey: weak, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 })
  const privatePem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  const jwtKeys = (...pems: readonly unknown[]) => ({
    jwt: { keys: pems.map((each, i) => ({ id: `k${i}`, pem: each })) },
  })

  it.each<[string, object, string | RegExp]>([
    ['a hash that is none', { keys: [{ keyHash: 'sha256:ab' }] }, `${address}.keyHash: ${isHash}`],
    [
      'a key beside its hash',
      { keys: [{ keyHash: hash, key }] },
      `${address}.key: expected no key beside keyHash, got one`,
    ],
    [
      'a key of a wrong type',
      { keys: [{ key, disabled: 'yes' }] },
      `${address}.disabled: expected true or false, got another value`,
    ],
    [
      'a day that is none',
      { keys: [{ key, expiresAt: '2027-13-01' }] },
      `${address}.expiresAt: ${expired}, got "2027-13-01"`,
    ],
    [
      'a day that its month has not',
      { keys: [{ key, expiresAt: '2027-02-29T12:00Z' }] },
      /expiresAt: expected a moment/,
    ],
    ['a time without its zone', { keys: [{ key, expiresAt: '2027-01-01T00:00:00' }] }, /expiresAt: expected a moment/],
    ['a number as a moment', { keys: [{ key, expiresAt: 5 }] }, `${address}.expiresAt: ${expired}, got 5`],
    ['a long label', { keys: [{ key, label: 'x'.repeat(129) }] }, /label: expected a label of 1 to 128 characters/],
    [
      'a secret of no form',
      { keys: [{ key, secrets: ['S3CR3T'] }] },
      `${address}.secrets[0]: expected { secret }, got another value`,
    ],
    [
      'a secret beside its hash',
      { keys: [{ key, secrets: [{ secretHash: hash, secret: 's' }] }] },
      /no secret beside secretHash, got one$/,
    ],
    [
      'a hash of a secret that is none',
      { keys: [{ key, secrets: [{ secretHash: 'S3CR3T' }] }] },
      `${address}.secrets[0].secretHash: ${isHash}`,
    ],
    [
      'three secrets',
      { keys: [{ key, secrets: [1, 2, 3].map(() => ({ secret: 's' })) }] },
      `${address}.secrets: expected at most 2 entries, got 3`,
    ],
    [
      'two secrets beside one',
      { keys: [{ key, secret: 's', secrets: [{ secret: 't' }, { secret: 'u' }] }] },
      `${address}.secrets: expected at most 2 secrets of a key, of which \`secret\` is one, got 2 beside it`,
    ],
    [
      'no secret where one is required',
      { requireSecret: true, keys: [{ key }] },
      `${address}.secret: expected a secret, as the project requires one, got nothing`,
    ],
    [
      'a key and the hash of the same key',
      { keys: [{ key }, { keyHash: `sha256:${sha256Hex(key).toUpperCase()}` }] },
      'projects[0].keys[1].keyHash: expected a key that stands once, got a repetition of an earlier one',
    ],
    [
      'no JWT key where JWTs are required',
      { requireJwt: true },
      'projects[0].jwt.keys: expected a key, as the project requires JWTs, got none',
    ],
    ['four JWT keys', jwtKeys(pem, pem, pem, pem), 'projects[0].jwt.keys: expected at most 3 entries, got 4'],
    ['a JWT key that is none', jwtKeys('S3CR3T'), /^projects\[0\]\.jwt\.keys\[0\]\.pem: expected a public key in PEM/],
    [
      'a weak JWT key',
      jwtKeys(weak.export({ type: 'spki', format: 'pem' })),
      `projects[0].jwt.keys[0].pem: ${publicKey}, got another text: an RSA key of a JWT has 2,048 to 8,192 bits, got 1024`,
    ],
    [
      'a private JWT key',
      jwtKeys(pem, privatePem),
      /^projects\[0\]\.jwt\.keys\[1\]\.pem: .* got another text: a private key came: .* replace this key$/,
    ],
    [
      'two JWT keys of one id',
      {
        jwt: {
          keys: [
            { id: 'k', pem },
            { id: 'k', pem },
          ],
        },
      },
      'projects[0].jwt.keys[1].id: expected an id of its own, got a repetition of an earlier one',
    ],
    [
      'a JWT key without an id',
      { jwt: { keys: [{ pem }] } },
      /^projects\[0\]\.jwt\.keys\[0\]\.id: expected the kid of tokens/,
    ],
    [
      'a rule that there is not',
      { rules: { method: [] } },
      'projects[0].rules.method: expected a known member, got an unknown member; did you mean "methods"?',
    ],
    [
      '31 entries',
      { rules: { methods: Array.from({ length: 31 }, () => 'eth_call') } },
      'projects[0].rules.methods: expected at most 30 entries, got 31',
    ],
    [
      'a method of no name',
      { rules: { methods: ['eth_call', 'eth *'] } },
      'projects[0].rules.methods[1]: expected the exact name of a method, such as eth_call, got "eth *"',
    ],
    [
      'an address of no form',
      { rules: { addresses: ['1'] } },
      'projects[0].rules.addresses[0]: expected a contract address: 0x and at most 64 hex digits, got "1"',
    ],
    [
      'an origin with a path',
      { rules: { origins: ['https://a.example/b'] } },
      /^projects\[0\]\.rules\.origins\[0\]: expected https:\/\/app\.example\.com, .*, got another value$/,
    ],
    [
      'an empty user agent',
      { rules: { userAgents: [''] } },
      'projects[0].rules.userAgents[0]: expected a text of 1 to 256 characters, not all blank, got ""',
    ],
    [
      'a source of no form',
      { rules: { sources: ['10.0.0.0/33'] } },
      'projects[0].rules.sources[0]: expected an IP address or a CIDR block such as 10.0.0.0/8, got "10.0.0.0/33"',
    ],
  ])('with %s is told of at its place', (_, project, problem) => {
    const problems = problemsOf(project)
    expect(problems).toHaveLength(1)
    if (typeof problem === 'string') expect(problems[0]).toBe(problem)
    else expect(problems[0]).toMatch(problem)
    expect(problems[0]).not.toContain('S3CR3T')
    expect(problems[0]).not.toContain(privatePem.split('\n')[1]!)
  })

  it('need not have a secret where a JWT replaces it, or its key is disabled', () => {
    expect(problemsOf({ requireSecret: true, keys: [{ key }], jwt: { keys: [{ id: 'k', pem }] } })).toEqual([])
    expect(problemsOf({ requireSecret: true, keys: [{ key, disabled: true }] })).toEqual([])
  })

  it('may have defaults of directives, by values that there are', () => {
    expect(problemsOf({ directives: { consistency: 'pinned', marks: 'none' } })).toEqual([])
    expect(problemsOf({ directives: { consistency: 'often', mark: 'inline' } })).toEqual([
      'projects[0].directives.mark: expected a known member, got an unknown member; did you mean "marks"?',
      'projects[0].directives.consistency: expected "pinned" or "none", got "often"',
    ])
  })

  it('with a key that can be guessed is warned of', () => {
    const config = { networks, projects: [{ name: 'p', keys: [{ key: 'k'.repeat(15) }, { key: 'k'.repeat(16) }] }] }
    expect(configWarnings(config as unknown as Config).map((issue) => printProblem(toProblem(issue)))).toEqual([
      'projects[0].keys[0].key: expected at least 16 characters, as a shorter key can be guessed, got fewer',
    ])
  })

  it.each([
    ['0.0.0.0/0', '/8'],
    ['::/0', '/7'],
    ['0.0.0.0/1', '/8'],
    ['2000::/3', '/7'],
  ])('that trusts %s as a proxy is warned of, as any caller could make up their address', (block, most) => {
    const config = { networks, trustedProxies: ['10.0.0.0/8', 'fc00::/7', '203.0.113.9', block] }
    expect(configWarnings(config as unknown as Config).map((issue) => printProblem(toProblem(issue)))).toEqual([
      `trustedProxies[3]: expected the addresses of your proxies, ${most} at most, as any caller in here may make up their address, got "${block}"`,
    ])
  })

  it('may not trust a proxy that has no address', () => {
    expect(problemsOf({}, { trustedProxies: ['proxy.example.com'] })).toEqual([
      'trustedProxies[0]: expected an IP address or a CIDR block such as 10.0.0.0/8, got "proxy.example.com"',
    ])
  })
})

describe('the accounts of a configuration', () => {
  it('hold digests alone, under short ids', () => {
    const projects = namedProjects({
      projects: [{ name: 'p', keys: [{ key, secret: 'the-secret', expiresAt: '2027-01-31' }] }],
    })
    const accounts = accountsOf(projects, sha256Hex)
    expect(accounts.keys).toEqual([
      {
        id: sha256Hex(key).slice(0, 8),
        projectId: 'p',
        digest: sha256Hex(key),
        hint: key.slice(-4),
        expiresAt: Date.UTC(2027, 0, 31),
        disabled: false,
        secrets: [{ id: '1', digest: sha256Hex('the-secret') }],
      },
    ])
    expect(JSON.stringify(accounts)).not.toMatch(/the-secret|a-key-that/)
  })

  it('have different ids, even if digests begin alike', () => {
    const alike = (end: string) => `${'0'.repeat(8)}${end.repeat(56)}`
    const keys = ['1', '2'].map((end) => ({ keyHash: `sha256:${alike(end)}` }))
    const ids = accountsOf(namedProjects({ projects: [{ name: 'p', keys }] }), sha256Hex).keys.map(({ id }) => id)
    expect(ids).toEqual(['00000000', '0000000022222222'])
  })

  it('cannot have a key twice, nor a hash that is none', () => {
    const of =
      (...keys: readonly object[]) =>
      () =>
        accountsOf(namedProjects({ projects: [{ name: 'p', keys }] } as unknown as Config), sha256Hex)
    expect(of({ key }, { key })).toThrow('a key of project "p" stands twice')
    expect(of({ keyHash: 'S3CR3T' })).toThrow('a hash is "sha256:" and 64 hex digits')
  })
})
