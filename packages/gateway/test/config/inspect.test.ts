import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConfigReport, inspectConfig, printProblem } from '@wayleave/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wayleave-inspect-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function inspect(name: string, text: string, env: Record<string, string> = {}): Promise<ConfigReport> {
  const file = join(folder, name)
  await writeFile(file, text)
  return inspectConfig(file, env)
}

const lines = ({ problems }: ConfigReport, file: string): string[] =>
  problems.map((problem) => printProblem(problem, file))

const faultyYaml = `# comment
listen:
  rpc: 8545
networks:
  mainnet: &main
    kind: bitcoin
    chainId: 1
    upstreams:
      - ftp://user:S3CR3T@node
      - url: https://node/S3CR3T
        weight: 0
  'base-sepolia':
    chainId: 84532
    upstreams: [ "https://\${NODE}" ]
projects:
  - name: demo
    networks: [mainnet, polygon]
    keys: [{ key: "\${KEY}" }, { key: S3CR3T,
      secret: 5 }]
`

describe('a faulty file', () => {
  it('in YAML is told of line by line', async () => {
    expect(lines(await inspect('a.yaml', faultyYaml), 'a.yaml')).toEqual([
      'a.yaml:3:8: listen.rpc: expected host:port, such as 127.0.0.1:8545, got 8545',
      'a.yaml:6:11: networks.mainnet.kind: expected "evm", "rollup", "starknet" or "jsonrpc", got "bitcoin"',
      'a.yaml:9:9: networks.mainnet.upstreams[0]: expected an http, https, ws or wss URL, got another value',
      'a.yaml:11:17: networks.mainnet.upstreams[1].weight: expected a number above 0 (to leave an upstream alone, cordon or remove it), got 0',
      'a.yaml:12:3: networks["base-sepolia"].kind: expected "evm", "rollup", "starknet" or "jsonrpc", got nothing',
      'a.yaml:14:18: networks["base-sepolia"].upstreams[0]: expected the environment variable NODE to be set, got nothing',
      'a.yaml:17:25: projects[0].networks[1]: expected one of mainnet, base-sepolia, got "polygon"',
      'a.yaml:18:19: projects[0].keys[0].key: expected the environment variable KEY to be set, got nothing',
      'a.yaml:19:15: projects[0].keys[1].secret: expected a secret of 1 to 1,024 characters, not all blank, none of them a control character, got another value; write it in quotes',
    ])
  })

  it('in JSON is told of line by line, with tabs too', async () => {
    const text =
      '{\r\n\t"networks": {\r\n\t\t"a": {"kind": "evm", "chainId": "1",\r\n"upstreams": []}},\n"defaultNetwork":"b",\n"é":1}'
    expect(lines(await inspect('a.json', text), 'a.json')).toEqual([
      'a.json:3:35: networks.a.chainId: expected a chain id as a decimal number, got "1"; write it without quotes',
      'a.json:4:1: networks.a.upstreams: expected at least 1: a URL or { url }, got an empty array',
      'a.json:5:18: defaultNetwork: expected one of a, got "b"',
      'a.json:6:5: ["é"]: expected one of: dataDir, store, listen, admin, defaultNetwork, networks, bareHosts, onlyLocal, trustedProxies, methods, redis, replicas, ipfs, projects, plans, prices, usage, webhook, cache, tracing, limits, shutdown, log, metrics, got an unknown member',
    ])
  })

  it('in TypeScript is told of by path', async () => {
    const text = 'export default { networks: {}, limits: { maxBatch: 0 } }'
    expect(lines(await inspect('a.mts', text), 'a.mts')).toEqual([
      'a.mts: limits.maxBatch: expected a whole number above 0, got 0',
      'a.mts: networks: expected at least one network, got none',
    ])
  })

  it.each([
    ['b.json', '{\n "networks": {"secret": S3CR3T}}', '2:25: expected JSON, got something out of place'],
    ['c.json', '{\n "networks": "S3CR3T', '2:21: expected a closing bracket or quote, got the end of the file'],
    ['d.json', "{'networks': 1}", '1:2: expected double quotes, got single ones'],
    ['e.json', '{"a": 1,\n}', '2:1: expected no comma in front of the closing }, got one'],
    ['f.json', '{"a": {}, "b": 1,\n "a": 2}', '2:2: a: expected each member once, got it again, after line 1'],
    ['b.yaml', 'a: 1\nb: "S3CR3T', '2:4: expected a closing ", got none'],
    ['d.yaml', 'a: 1\n---\nb: 2', '2:1: expected one document, got a second one, after ---'],
    ['c.yaml', 'a: 1\na: 2', '2:1: a: expected each member once, got it again, after line 1'],
  ])('%s that cannot be read is told of by its place', async (name, text, expected) => {
    expect(lines(await inspect(name, text), 'f')).toEqual([`f:${expected}`])
  })
})

describe('a value without end', () => {
  const expected = 'expected a value of at most 32 levels'
  it.each([
    ['k.yaml', 'networks: &n { a: *n }', `:1:16: networks.a: ${expected}, got one that holds itself`],
    ['k.mts', 'const n = []\nn.push(n, n)\nexport default n', `: [0]: ${expected}, got one that holds itself`],
    ['l.json', '['.repeat(9_000) + ']'.repeat(9_000), `:1:33: ${'[0]'.repeat(32)}: ${expected}, got more`],
  ])('in %s is told of', async (name, text, line) => {
    expect(lines(await inspect(name, text), 'f')).toContain(`f${line}`)
  })

  it('made of aliases of aliases is refused', async () => {
    const [first, ...further] = ['a', 'b', 'c', 'd', 'e']
    const text = [
      `${first}: &${first} [1]`,
      ...further.map((to, i) => `${to}: &${to} [${`*${'abcd'[i]},`.repeat(10)}]`),
    ].join('\n')
    expect(lines(await inspect('m.yaml', text), 'f')).toEqual([
      'f: expected a file that can be read, got an alias without its anchor, or too many of them; write a text that begins with * in quotes',
    ])
  })
})

const networks = {
  mainnet: {
    kind: 'evm',
    chainId: 1,
    upstreams: ['https://u:p@a.example/S3CR3T', { url: 'wss://b.example:99/S3CR3T' }],
  },
  sepolia: { kind: 'evm', chainId: 1, upstreams: ['https://c.example'] },
  own: { kind: 'rollup', chainId: 7, upstreams: ['ws://d.example'] },
}

describe('a right file', () => {
  it('comes with a summary without secrets, and with warnings', async () => {
    const config = { networks, projects: [{ name: 'p', keys: [{ key: 'S3CR3T' }] }] }
    const report = await inspect('g.json', JSON.stringify(config, undefined, 1))
    expect(report.problems).toEqual([])
    expect(report.config).toEqual(config)
    expect(report.summary).toEqual({
      networks: [
        {
          name: 'mainnet',
          kind: 'evm',
          chainId: 1,
          reportsChain: true,
          upstreams: ['https://a.example', 'wss://b.example:99'],
        },
        { name: 'sepolia', kind: 'evm', chainId: 1, reportsChain: true, upstreams: ['https://c.example'] },
        { name: 'own', kind: 'rollup', chainId: 7, reportsChain: true, upstreams: ['ws://d.example'] },
      ],
      listeners: { rpc: '127.0.0.1:8545', admin: '127.0.0.1:8546', tls: false },
      projects: [{ name: 'p', keys: 1 }],
    })
    expect(JSON.stringify(report.summary)).not.toContain('S3CR3T')
    expect(report.warnings.map((warning) => printProblem(warning))).toEqual([
      'networks.sepolia.chainId: expected 11155111, the chain id of sepolia, got 1',
      'networks.sepolia.upstreams: expected a ws or wss URL among them, as it tells of blocks at once, and of pending transactions, got http and https URLs only',
      'networks.own.rollupNode: expected the URL of the rollup node, unless an upstream answers rollup_getInfo itself, got nothing',
      'projects[0].keys[0].key: expected at least 16 characters, as a shorter key can be guessed, got fewer',
    ])
    expect(report.warnings[0]).toMatchObject({ line: 15, column: 15 })
  })

  it.each([
    ['the default of the other', { maxBodyBytes: 45_298_484 }, 'at most 45298483', '45298484'],
    ['both', { maxBodyBytes: 2_250_001, maxHeldBytes: 10_000_000 }, 'at most 2250000', '2250001'],
  ])('is warned of a body that can never be held: %s', async (_, limits, most, got) => {
    const of = async (given: Record<string, number>) =>
      (await inspect('n.json', JSON.stringify({ networks: { mainnet: networks.mainnet }, limits: given }))).warnings
    expect((await of(limits)).map((warning) => printProblem(warning))).toEqual([
      `limits.maxBodyBytes: expected ${most}, as a body is held four times in nine tenths of limits.maxHeldBytes, got ${got}`,
    ])
    expect(await of({ ...limits, maxBodyBytes: limits.maxBodyBytes - 1 })).toEqual([])
  })

  it.each([
    [['https://a.example'], ['upstreams: expected a ws or wss URL among them, as subscriptions need one']],
    [['https://a.example', 'wss://b.example'], []],
    [[{ url: 'https://a.example', ws: 'wss://a.example' }], []],
  ])('is warned of a network of Starknet without a WebSocket: %j', async (upstreams, warnings) => {
    const sn = { kind: 'starknet', chainId: 'SN_MAIN', upstreams }
    const report = await inspect('s.json', JSON.stringify({ networks: { 'starknet-mainnet': sn } }))
    expect(report.problems).toEqual([])
    expect(report.warnings.map((warning) => printProblem(warning))).toEqual(
      warnings.map((text) => expect.stringContaining(`networks["starknet-mainnet"].${text}`)),
    )
  })

  it('of one sound network has no warning, and is its default', async () => {
    const { warnings, summary } = await inspect('h.json', JSON.stringify({ networks: { mainnet: networks.mainnet } }))
    expect(warnings).toEqual([])
    expect(summary?.defaultNetwork).toBe('mainnet')
  })
})

describe('files of TLS', () => {
  it('that are absent, or no PEM, are told of by their place', async () => {
    await writeFile(join(folder, 'no.pem'), 'S3CR3T')
    const tls = { cert: join(folder, 'absent.pem'), key: join(folder, 'no.pem') }
    const report = await inspect('i.json', JSON.stringify({ listen: { tls }, networks }, undefined, 1))
    expect(lines(report, 'f')).toEqual(['f:4:12: listen.tls.cert: expected a PEM file that can be read, got ENOENT'])
    execFileSync('mkfifo', [join(folder, 'pipe.pem')])
    // Neither has an end.
    for (const cert of [join(folder, 'pipe.pem'), '/dev/zero']) {
      const endless = await inspect('k.json', JSON.stringify({ listen: { tls: { cert, key: tls.key } }, networks }))
      expect(lines(endless, 'f')[0]).toMatch(
        /listen\.tls\.cert: expected a PEM file that can be read, got something else$/,
      )
    }
    const both = await inspect('j.json', JSON.stringify({ listen: { tls: { ...tls, cert: tls.key } }, networks }))
    expect(lines(both, 'f')).toEqual([
      expect.stringMatching(/^f:1:\d+: listen\.tls\.cert: expected a PEM certificate, got something else$/),
      expect.stringMatching(
        /^f:1:\d+: listen\.tls\.key: expected a PEM private key without a passphrase, got something else$/,
      ),
    ])
  })
})
