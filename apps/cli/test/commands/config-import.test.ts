import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Config, inspectConfig } from '@wayleave/gateway'
import { describe, expect, it } from 'vitest'
import { file, type Run, runWayleave } from '../helpers.ts'

const sha256 = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`

interface Imported extends Run {
  readonly path: string
  readonly text: string
  readonly config: Config | undefined
  readonly problems: readonly unknown[]
  /** Remarks without the file's name. */
  readonly lines: readonly string[]
}

async function importOf(erpc: string, env: Record<string, string> = {}): Promise<Imported> {
  const from = await file('erpc.yaml', erpc)
  const path = join(dirname(from), 'wayleave.config.yaml')
  const run = await runWayleave(['config', 'import', from, '--config', path], env)
  const { config, problems } = await inspectConfig(path, env)
  const lines = run.stderr
    .split('\n')
    .flatMap((line) => (line.startsWith(`${from}:`) ? [line.slice(from.length + 1)] : []))
  return { ...run, path, text: await readFile(path, 'utf8').catch(() => ''), config, problems, lines }
}

const small = `logLevel: debug
projects:
  - id: main
    upstreams:
      - endpoint: https://node.example.org/S3CR3T-path
        evm: { chainId: 137 }
      - endpoint: alchemy://\${ALCHEMY_KEY}
      - endpoint: drpc://S3CR3T-drpc
`

describe('wayleave config import', () => {
  it('makes a gateway of a small eRPC, and tells the rest by its line', async () => {
    const { code, stdout, stderr, text, path, config, problems, lines } = await importOf(small, { ALCHEMY_KEY: 'k' })
    expect({ code, problems }).toEqual({ code: 0, problems: [] })
    expect(lines).toEqual([
      '1:11: logLevel: not carried over: write it as log.level: debug, info, warn or error',
      '3:5: projects[0]: it had no key: every call needs one here, so one was made',
      '8:19: projects[0].upstreams[2].endpoint: not carried over: name the URL of each network in its place: shorthands of providers are known for alchemy and infura alone',
    ])
    const [, key] = /^main\t(wl_\w+)\n$/.exec(stdout)!
    expect(stderr).toContain(
      `${path} is written: one network, one project; callers ask /polygon-mainnet/v3/KEY in place of /PROJECT/evm/CHAIN\n`,
    )
    expect(stderr + stdout).not.toContain('S3CR3T')
    expect(text).toContain('https://polygon-mainnet.g.alchemy.com/v2/${ALCHEMY_KEY}')
    expect(text).not.toContain(key)
    expect(config).toEqual({
      listen: { rpc: '127.0.0.1:8645', admin: '127.0.0.1:8646' },
      dataDir: '.wayleave/gateway',
      networks: {
        'polygon-mainnet': {
          kind: 'evm',
          chainId: 137,
          upstreams: ['https://node.example.org/S3CR3T-path', 'https://polygon-mainnet.g.alchemy.com/v2/k'],
        },
      },
      projects: [{ name: 'main', keys: [{ keyHash: sha256(key!) }] }],
    })
  })

  it('carries listeners, limits, waits, caches and what replicas share over', async () => {
    const { config, problems, lines } = await importOf(
      `server:
  httpHostV4: 0.0.0.0
  httpPortV4: 4000
  maxTimeout: 50s
  readTimeout: 1m30s
  writeTimeout: 20s
  webSocket: { enabled: true }
  tls: { enabled: false, certFile: /a.pem, keyFile: /b.pem }
  trustedIPForwarders: [10.0.0.0/8]
  trustedIPHeaders: [X-Forwarded-For]
metrics: { enabled: true, hostV4: 0.0.0.0, port: 4001 }
database:
  evmJsonRpcCache:
    connectors:
      - { id: near, driver: memory, memory: { maxTotalSize: 512MB } }
      - { id: far, driver: redis, redis: { addr: 'cache:6379', password: '\${CACHE_PASSWORD}', db: 2 } }
      - { id: old, driver: postgresql, postgresql: { connectionUri: 'postgres://u:S3CR3T@h/d' } }
    policies:
      - { network: '*', method: '*', finality: finalized, connector: near, ttl: 0 }
  sharedState:
    connector: { driver: redis, redis: { uri: 'redis://state:6379' } }
projects:
  - id: main
    auth: { strategies: [{ type: secret, secret: { id: backend, value: $MAIN_KEY } }] }
    networks:
      - architecture: evm
        evm: { chainId: 1 }
        alias: Ethereum
        failsafe:
          - matchMethod: '*'
            timeout: { duration: 30s }
            hedge: { delay: 500ms, maxCount: 1 }
          - matchMethod: eth_getLogs|trace_*
            timeout: { duration: 1500ms }
          - matchMethod: eth_sendRawTransaction
            consensus: { maxParticipants: 5, agreementThreshold: 1, fireAndForget: true }
          - matchMethod: eth_call|eth_getTransactionCount
            consensus:
              maxParticipants: 3
              agreementThreshold: 2
              disputeBehavior: preferBlockHeadLeader
              lowParticipantsBehavior: acceptMostCommonValidResult
              punishMisbehavior: { disputeThreshold: 3 }
    upstreams:
      - { id: own node, endpoint: 'http://10.0.0.5:8545', evm: { chainId: 1 } }
      - { endpoint: 'wss://b.example', group: fallback, jsonRpc: { headers: { x-key: '\${B_KEY}' } }, evm: { chainId: 1 } }
`,
      {
        WAYLEAVE_ADMIN_TOKEN: 'Zk3vQ8mXw2Lr7TnB5yHc',
        CACHE_PASSWORD: 'p',
        MAIN_KEY: 'the-key-of-this-test',
        B_KEY: 'b',
      },
    )
    expect(problems).toEqual([])
    expect(config).toEqual({
      listen: { rpc: '0.0.0.0:4000', admin: '0.0.0.0:4001' },
      admin: { token: 'Zk3vQ8mXw2Lr7TnB5yHc' },
      limits: { requestTimeoutMs: 50_000, readTimeoutMs: 90_000 },
      cache: { maxBytes: 512 * 1024 * 1024, redis: 'redis://:p@cache:6379/2' },
      redis: 'redis://state:6379',
      trustedProxies: ['10.0.0.0/8'],
      dataDir: '.wayleave/gateway',
      networks: {
        ethereum: {
          kind: 'evm',
          chainId: 1,
          upstreams: [
            { url: 'http://10.0.0.5:8545', name: 'own-node' },
            { url: 'wss://b.example', tier: 'fallback', headers: { 'x-key': 'b' } },
          ],
          timeouts: { default: '30s', byMethod: { eth_getLogs: '1500ms', 'trace_*': '1500ms' } },
          broadcast: 2,
          consensus: { methods: ['eth_call'], participants: 2, agreement: 2, onDispute: 'head' },
        },
      },
      projects: [{ name: 'main', keys: [{ key: 'the-key-of-this-test', label: 'backend' }] }],
    })
    expect(lines.map((line) => line.replace(/^\d+:\d+: /, ''))).toEqual([
      'server.writeTimeout: not carried over: the server has no such setting',
      'server.webSocket: not carried over: callers always have WebSockets, at /ws/v3/KEY',
      'metrics: who reads metrics here can operate, too, so that $WAYLEAVE_ADMIN_TOKEN has to be set: `openssl rand -hex 32`',
      'database.evmJsonRpcCache.connectors[2]: not carried over: answers are kept in memory, and in one Redis behind it',
      'database.evmJsonRpcCache.policies: not carried over: answers are kept by what the chain has made final, without settings',
      'projects[0].networks[0].failsafe[0].hedge: not carried over: a slow call is asked of another upstream, too, after a time that is measured',
      'projects[0].networks[0].failsafe[2].consensus: it is `broadcast`: so many upstreams get a transaction at once, the first success is the answer',
      'projects[0].networks[0].failsafe[3].consensus: it holds for eth_call alone: others differ from node to node',
      'projects[0].networks[0].failsafe[3].consensus.lowParticipantsBehavior: not carried over: too few answers to compare are an error',
      'projects[0].networks[0].failsafe[3].consensus.punishMisbehavior: not carried over: there is no such setting',
    ])
  })

  it('keeps projects apart by groups, and their limits by plans that count calls', async () => {
    const { stdout, config, problems, lines } = await importOf(`projects:
  - id: front
    rateLimitBudget: visitors
    cors: { allowedOrigins: ['https://app.example.org'] }
    auth:
      strategies:
        - { type: secret, rateLimitBudget: paid, secret: { value: a-secret-of-the-front } }
        - { type: secret, secret: { value: 'not a key!' } }
        - { type: siwe, siwe: { allowedDomains: [a.example] } }
    upstreams: [{ endpoint: 'https://a.example', evm: { chainId: 1 }, rateLimitBudget: node, ignoreMethods: ['debug_*', '*_trace'] }]
  - id: index
    auth:
      strategies: [{ type: network, network: { allowedCIDRs: [10.1.0.0/16], allowLocalhost: true, trustedProxies: [10.9.0.1] } }]
    upstreamDefaults: { rateLimitBudget: node }
    upstreams:
      - { endpoint: 'https://a.example', evm: { chainId: 1 } }
      - { endpoint: 'https://c.example', evm: { chainId: 424242 }, allowMethods: [eth_getLogs], shadow: { enabled: false } }
      - { endpoint: 'https://d.example', evm: { chainId: 1 }, shadow: { enabled: true } }
rateLimiters:
  store: { driver: memory }
  budgets:
    - id: visitors
      rules:
        - { method: '*', maxCount: 20, period: second, perIP: true }
        - { method: 'eth_trace*', maxCount: 5, period: second }
        - { method: '*', maxCount: 100, period: week }
    - { id: paid, rules: [{ method: '*', maxCount: 1000, period: 1s }, { method: '*', maxCount: 5000000, period: day }] }
    - { id: node, rules: [{ method: '*', maxCount: 300, period: second }] }
    - { id: unused, rules: [{ method: '*', maxCount: 1, period: second }] }
`)
    expect(problems).toEqual([])
    const [, made] = /^index\t(wl_\w+)\n$/.exec(stdout)!
    expect(config).toMatchObject({
      networks: {
        mainnet: {
          upstreams: [
            { url: 'https://a.example', groups: ['front'], budget: { perSecond: 300 }, methods: { deny: ['debug_*'] } },
            { url: 'https://a.example', groups: ['index'], budget: { perSecond: 300 } },
          ],
        },
        'chain-424242': {
          upstreams: [{ url: 'https://c.example', groups: ['index'], methods: { allow: ['eth_getLogs'] } }],
        },
      },
      projects: [
        {
          name: 'front',
          plan: 'visitors',
          networks: ['mainnet'],
          upstreams: ['front'],
          keys: [{ keyHash: sha256('a-secret-of-the-front'), plan: 'paid' }],
        },
        {
          name: 'index',
          networks: ['mainnet', 'chain-424242'],
          upstreams: ['index'],
          keys: [{ keyHash: sha256(made!) }],
          rules: { sources: ['10.1.0.0/16', '127.0.0.0/8', '::1'] },
        },
      ],
      plans: {
        visitors: {
          perVisitor: { perSecond: { credits: 20 } },
          methods: { 'eth_trace*': { perSecond: { credits: 5 } } },
        },
        paid: { perSecond: { credits: 1000 }, perDay: { credits: 5_000_000 } },
      },
      prices: { evm: { '*': 1 } },
      trustedProxies: ['10.9.0.1'],
    })
    expect(lines.map((line) => line.replace(/^\d+:\d+: /, ''))).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^projects\[0\]\.cors: not carried over: pages of all origins/),
        expect.stringMatching(/strategies\[0\]\.secret\.value: it is a key here/),
        expect.stringMatching(/strategies\[1\]\.secret\.value: not carried over: a key has letters/),
        expect.stringMatching(/strategies\[2\]: not carried over: nobody signs in with Ethereum/),
        expect.stringMatching(/ignoreMethods\[1\]: not carried over: a method is named as a whole/),
        expect.stringMatching(/^projects\[1\]\.upstreams\[2\]: not carried over: a shadow upstream/),
        expect.stringMatching(
          /^rateLimiters\.budgets\[0\]\.rules\[2\]: not carried over: a plan has limits per second/,
        ),
        expect.stringMatching(/^rateLimiters\.budgets\[2\]: those that name it share it there/),
        expect.stringMatching(/^rateLimiters\.budgets\[3\]: not carried over: nothing names this budget/),
      ]),
    )
  })

  it('takes JWT keys from files, and requires a JWT where there was no secret', async () => {
    const { text, lines } = await importOf(`projects:
  - id: main
    auth:
      strategies:
        - type: jwt
          jwt:
            allowedIssuers: [https://issuer.example]
            allowedAudiences: [one, two]
            allowedAlgorithms: [RS256]
            verificationKeys: { kid-1: 'file:///keys/one.pem', kid-2: S3CR3T-of-HS256 }
    upstreams: [{ endpoint: 'https://a.example', evm: { chainId: 1 } }]
`)
    expect(text).toContain("'${file:/keys/one.pem}'")
    expect(text).toContain('requireJwt: true')
    expect(text).toContain('audience: one')
    expect(text).not.toContain('S3CR3T')
    expect(lines.map((line) => line.replace(/^\d+:\d+: /, ''))).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/jwt\.allowedIssuers: not carried over: a JWT is checked by its key/),
        expect.stringMatching(/verificationKeys\["kid-2"\]: not carried over: a JWT key is an RSA or P-256/),
        expect.stringMatching(/allowedAudiences: one audience is taken, the first/),
      ]),
    )
  })

  it('makes a network of an upstream that names no chain, and tells so', async () => {
    const { config, problems, lines } = await importOf(`projects:
  - id: main
    auth: { strategies: [{ type: secret, secret: { value: a-secret-of-the-main } }] }
    upstreams:
      - { endpoint: 'https://a.example', failsafe: { timeout: { duration: 15s } } }
      - { id: Other one, endpoint: 'https://b.example', jsonRpc: { supportsBatch: true } }
`)
    expect(problems).toEqual([])
    expect(config?.networks).toEqual({
      'network-1': { kind: 'evm', upstreams: ['https://a.example'] },
      'other-one': { kind: 'evm', upstreams: [{ url: 'https://b.example', name: 'Other-one' }] },
    })
    expect(lines.map((line) => line.replace(/^\d+:\d+: /, ''))).toEqual([
      'projects[0].auth.strategies[0].secret.value: it is a key here, in the URL or in X-Api-Key, and only its hash is in the file',
      'projects[0].upstreams[0]: it names no chain, so it is a network of its own, whose chain wayleave serve asks it for',
      'projects[0].upstreams[0].failsafe: not carried over: waits are of networks and projects (`timeouts`); retries, hedges and circuit breakers have no settings',
      'projects[0].upstreams[1]: it names no chain, so it is a network of its own, whose chain wayleave serve asks it for',
      'projects[0].upstreams[1].jsonRpc: not carried over: an upstream is asked call by call, over connections that are kept',
    ])
  })

  it('keeps chains, budgets and projects apart that would get one name', async () => {
    const { config, problems, lines } = await importOf(`rateLimiters:
  budgets:
    - id: free.tier
      rules: [{ method: '*', maxCount: 10, period: second }]
    - id: free/tier
      rules:
        - { method: '*', maxCount: 99999, period: second }
        - { method: '*', maxCount: 5, period: second }
        - { method: '*', maxCount: 2, period: second, perIP: true }
        - { method: '*', maxCount: 3, period: second, perIP: true }
        - { method: eth_call, maxCount: 9, period: day }
        - { method: eth_call, maxCount: 8, period: day }
projects:
  - id: a b
    rateLimitBudget: free/tier
    networks: [{ architecture: evm, alias: main, evm: { chainId: 1 } }]
    upstreams: [{ endpoint: 'http://eth:8545', evm: { chainId: 1 } }]
    auth: { strategies: [{ type: secret, secret: { value: 0123456789abcdef0123456789abcdef } }] }
  - id: a-b
    rateLimitBudget: free.tier
    networks: [{ architecture: evm, alias: main, evm: { chainId: 137 } }]
    upstreams: [{ endpoint: 'http://polygon:8545', evm: { chainId: 137 } }, { endpoint: 'http://other:8545', evm: { chainId: 137 } }]
    auth: { strategies: [{ type: secret, secret: { value: 1123456789abcdef0123456789abcdef } }] }
`)
    expect(problems).toEqual([])
    expect(config).toMatchObject({
      networks: {
        main: { chainId: 1, upstreams: [{ url: 'http://eth:8545', groups: ['a-b'] }] },
        'polygon-mainnet': {
          chainId: 137,
          upstreams: [
            { url: 'http://polygon:8545', groups: ['a-b-2'] },
            { url: 'http://other:8545', groups: ['a-b-2'] },
          ],
        },
      },
      projects: [
        { name: 'a-b', plan: 'free-tier', networks: ['main'], upstreams: ['a-b'] },
        { name: 'a-b-2', plan: 'free-tier-2', networks: ['polygon-mainnet'], upstreams: ['a-b-2'] },
      ],
    })
    expect(config!.plans).toEqual({
      'free-tier': {
        perSecond: { credits: 5 },
        perVisitor: { perSecond: { credits: 2 } },
        methods: { eth_call: { perDay: { credits: 8 } } },
      },
      'free-tier-2': { perSecond: { credits: 10 } },
    })
    expect(lines.map((line) => line.replace(/^\d+:\d+: /, ''))).toEqual([
      'rateLimiters.budgets[0].id: its plan is free-tier-2, as that of another budget is free-tier',
      expect.stringMatching(/^projects\[0\].*: it is a key here/),
      'projects[1].id: it is a-b-2 here, as another project is a-b',
      'projects[1].networks[0].alias: chain 137 is the network polygon-mainnet, as another chain is main',
      expect.stringMatching(/^projects\[1\].*: it is a key here/),
    ])
  })

  it('makes a network of each node without a chain', async () => {
    const { config } = await importOf(`projects:
  - id: main
    upstreams: [{ endpoint: 'http://one:8545' }, { endpoint: 'http://two:8545' }]
`)
    expect(config!.networks).toEqual({
      'network-1': { kind: 'evm', upstreams: ['http://one:8545'] },
      'network-1-2': { kind: 'evm', upstreams: ['http://two:8545'] },
    })
  })

  it('tells of addresses of callers that are more than a project takes', async () => {
    const addresses = Array.from({ length: 31 }, (_, i) => `10.0.0.${i}`).join(', ')
    const { config, lines } = await importOf(`projects:
  - id: main
    auth: { strategies: [{ type: network, network: { allowedIPs: [${addresses}] } }] }
    upstreams: [{ endpoint: 'http://one:8545', evm: { chainId: 1 } }]
`)
    expect(config!.projects![0]).not.toHaveProperty('rules')
    expect(lines).toContainEqual(
      expect.stringMatching(
        /network\.allowedIPs: not carried over: `rules\.sources` takes 30 entries, so all addresses may call: join them to blocks$/,
      ),
    )
  })

  it('--json is one line, without what is secret', async () => {
    const from = await file('erpc.yaml', small)
    const path = join(dirname(from), 'own.json')
    const { stdout, stderr } = await runWayleave(['config', 'import', from, '--config', path, '--json'])
    expect(stderr).toBe('')
    expect(stdout.match(/\n/g)).toHaveLength(1)
    expect(stdout).not.toContain('S3CR3T')
    expect(JSON.parse(stdout)).toMatchObject({
      file: path,
      keys: [{ project: 'main', key: expect.stringMatching(/^wl_/) }],
      remarks: [{ path: 'logLevel', line: 1, column: 11, isPart: false }, {}, {}],
      problems: [{ path: 'networks["polygon-mainnet"].upstreams[1]', got: 'nothing' }],
    })
    expect(JSON.parse(await readFile(path, 'utf8'))).toHaveProperty('$schema')
  })

  it.each([
    ['erpc.ts', 'export default {}', 'expected YAML or JSON, got a program: write it as erpc.yaml first'],
    ['erpc.yaml', 'networks: {}', 'expected an eRPC configuration, which has a list of `projects`'],
    ['erpc.yaml', 'projects: []', 'expected an eRPC configuration, which has a list of `projects`'],
    ['erpc.yaml', 'projects:\n\t- id: a', 'erpc.yaml:2:1: expected spaces at the beginning of a line, got a tab'],
  ])('refuses %s with %j', async (name, text, words) => {
    const from = await file(name, text)
    const { code, stdout, stderr } = await runWayleave([
      'config',
      'import',
      from,
      '--config',
      join(dirname(from), 'a.yaml'),
    ])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(words)
  })
})
