// `wayleave mcp` as a process: asked by the client of the official SDK, and line by line.
import { hash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type ClientOptions } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { post } from './support/http.ts'
import { type McpServer, mcpCommand, modernMeta, startMcp } from './support/mcp-server.ts'
import { answer, hang, type Peer, startPeer } from './support/peer.ts'
import { type ProxyProcess, startProxy } from './support/proxy-process.ts'
import { compileCache } from './support/compile-cache.ts'
import { secretsIn } from './support/secret-forms.ts'

// Starts processes, which take seconds where the machine is busy.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const secrets = {
  key: '1f0e2d3c4b5a69788796a5b4c3d2e1f0',
  secret: 's3cret-of-the-key-55aa',
  'admin token': 'admin-token-9f8e7d6c5b4a',
  'reading token': 'reading-token-2b3c4d5e6f',
  password: 'password-of-the-node-71',
  path: 'path-of-the-node-d0a1',
}
const { key } = secrets

let folder: string
let peers: readonly [Peer, Peer]
let gateway: ProxyProcess
let configFile: string
/** All that any server told its client or its log. */
let reported = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'conformance-mcp-'))
  peers = [await startPeer(answer('0x1')), await startPeer(answer('0x1'))]
  const urls = peers.map(({ address }) => `http://user:${secrets.password}@${address}/${secrets.path}`)
  const config = {
    dataDir: join(folder, 'data'),
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    admin: {
      token: secrets['admin token'],
      tokens: [{ name: 'reader', tokenHash: `sha256:${hash('sha256', secrets['reading token'])}`, scopes: ['read'] }],
    },
    networks: {
      main: {
        kind: 'evm',
        chainId: 1,
        followHeads: false,
        upstreams: [
          { name: 'near', url: urls[0] },
          { name: 'far', url: urls[1] },
        ],
      },
    },
    projects: [{ name: 'shop', keys: [{ key, secret: secrets.secret }] }],
  }
  configFile = join(folder, 'wayleave.json')
  await writeFile(configFile, JSON.stringify(config))
  gateway = await startProxy(config)
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  for (const peer of peers) await peer[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})
afterEach(() => {
  for (const peer of peers) peer.http = answer('0x1')
})

function envOf(token: keyof typeof secrets | 'none'): Record<string, string> {
  return {
    WAYLEAVE_ADMIN_URL: gateway.admin,
    ...(token !== 'none' && { WAYLEAVE_ADMIN_TOKEN: secrets[token] }),
  }
}

function start(args: readonly string[] = [], token: keyof typeof secrets | 'none' = 'admin token'): McpServer {
  const server = startMcp(args, envOf(token))
  onTestFinished(async () => {
    await server[Symbol.asyncDispose]()
    reported += server.stderr() + server.lines.join('\n')
  })
  return server
}

async function connect(
  negotiation: ClientOptions['versionNegotiation'] = { mode: { pin: '2026-07-28' } },
  args: readonly string[] = ['--config', configFile],
  token: keyof typeof secrets = 'admin token',
): Promise<Client> {
  const transport = new StdioClientTransport({
    ...mcpCommand(args),
    env: { ...compileCache, ...envOf(token) },
    stderr: 'pipe',
  })
  transport.stderr?.on('data', (chunk: Buffer) => (reported += chunk.toString()))
  const client = new Client(
    { name: 'conformance', version: '1' },
    { versionNegotiation: negotiation ?? { mode: 'legacy' } },
  )
  await client.connect(transport)
  return client
}

/** The same, until the test ends. */
async function connectForTest(args?: readonly string[], token?: keyof typeof secrets): Promise<Client> {
  const client = await connect(undefined, args, token)
  onTestFinished(() => client.close())
  return client
}

interface Answer {
  readonly text: string
  readonly isError: boolean
  readonly data: Readonly<Record<string, unknown>>
}

/** Calls a tool; the client holds its data to the schema that the tool lists. */
async function callTool(client: Client, name: string, args: object = {}): Promise<Answer> {
  const {
    content,
    isError = false,
    structuredContent = {},
  } = await client.callTool({
    name,
    arguments: args as Record<string, unknown>,
  })
  const [first, ...others] = content as readonly { readonly type: string; readonly text: string }[]
  expect([first!.type, others]).toEqual(['text', []])
  reported += JSON.stringify({ content, structuredContent })
  return { text: first!.text, isError, data: structuredContent as Answer['data'] }
}

describe.each([
  ['2026-07-28', { mode: { pin: '2026-07-28' } }],
  ['2026-07-28, after asking', { mode: 'auto' }],
  ['2025-11-25', { mode: 'legacy' }],
] as const)('a client of %s', (_name, negotiation) => {
  let client: Client
  beforeAll(async () => {
    client = await connect(negotiation)
  })
  afterAll(() => client.close())

  it('lists the tools, none of which changes anything', async () => {
    expect(client.getServerVersion()).toMatchObject({ name: 'wayleave', title: 'Wayleave' })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['usage', 'upstreams', 'explain', 'doctor'])
    for (const { annotations, inputSchema, outputSchema } of tools) {
      expect([annotations?.readOnlyHint, inputSchema.type, outputSchema?.['type']]).toEqual([true, 'object', 'object'])
    }
  })

  it('gets answers of each, as data and as a text', async () => {
    const question = { jsonrpc: '2.0', id: 1, method: 'eth_gasPrice', params: [] }
    const { headers } = await post(`${gateway.rpc}/v3/${key}`, question)

    const upstreams = await callTool(client, 'upstreams')
    expect(upstreams.data).toMatchObject({
      phase: 'running',
      degraded: [],
      networks: [{ name: 'main', state: 'ok', upstreams: [{ name: 'near', isCordoned: false }, { name: 'far' }] }],
      complete: true,
    })
    expect(upstreams.text).toMatch(/^running; nothing is degraded\nnetwork main: ok\n {2}upstream +state +head/)

    const id = headers['x-trace-id']
    const explained = await callTool(client, 'explain', { id })
    expect(explained.data['calls']).toMatchObject([
      { id, network: 'main', method: 'eth_gasPrice', outcome: 'answered' },
    ])
    expect(explained.text).toContain(`main eth_gasPrice, project shop, key `)

    await vi.waitFor(
      async () => {
        const usage = await callTool(client, 'usage', { since: '1h', by: ['method', 'network'] })
        const rows = usage.data['rows'] as readonly { readonly method: string }[]
        const row = rows.find(({ method }) => method === 'eth_gasPrice')
        expect(row).toMatchObject({ network: 'main', calls: expect.any(Number) })
        expect(usage.text).toMatch(/^method +network +calls +credits\neth_gasPrice +main +\d+ +\d+\n/)
      },
      { timeout: 30_000, interval: 200 },
    )

    const doctor = await callTool(client, 'doctor')
    expect(doctor.data['findings']).toContainEqual(expect.objectContaining({ level: 'ok', code: 'versions' }))
    expect(doctor.text).toMatch(/\d+ ok/)
  })

  it('is told what is wrong with a call', async () => {
    await expect(client.callTool({ name: 'uncord' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('there is no such tool; there are usage, upstreams, explain, doctor'),
    })
    await expect(client.callTool({ name: 'cordon' })).rejects.toThrow(/wayleave mcp --allow-writes/)
    for (const [name, args, words] of [
      ['usage', { since: 'yesterday' }, /^since: expected a time such as 24h/],
      ['usage', { by: ['minute', 'hour'] }, /^by: expected one of minute, hour and day$/],
      ['usage', { limits: 5 }, /^limits: expected a known member, got an unknown member; did you mean "limit"\?$/],
      ['upstreams', { network: 'test' }, /^there is no such network/],
      ['explain', { id: '../status' }, /^id: expected the trace id/],
      ['explain', { id: 'f'.repeat(32) }, /^no such call is remembered/],
      ['doctor', { config: '/etc/passwd' }, /^config: expected one of: , got an unknown member$/],
    ] as const) {
      const { isError, text } = await callTool(client, name, args)
      expect([isError, text]).toEqual([true, expect.stringMatching(words)])
    }
  })
})

describe('cancellation', () => {
  it('ends a call, which then gets no answer, and the server goes on', async () => {
    peers[0].http = hang
    peers[1].http = hang
    const client = await connectForTest()
    const controller = new AbortController()
    const asked = client.callTool({ name: 'doctor', arguments: {} }, { signal: controller.signal })
    setTimeout(() => controller.abort(), 500)
    await expect(asked).rejects.toThrow(/abort/)
    for (const peer of peers) peer.http = answer('0x1')
    // Doctor takes one call at a time: the cancelled one has ended.
    await vi.waitFor(async () => expect((await callTool(client, 'doctor')).isError).toBe(false), { timeout: 30_000 })
  })

  it('sends nothing for the call', async () => {
    peers[0].http = hang
    peers[1].http = hang
    const server = start(['--config', configFile])
    server.send('slow', 'tools/call', { name: 'doctor' })
    await sleep(300)
    server.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"unknown"}}\n')
    server.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"slow"}}\n')
    server.write('{"jsonrpc":"2.0","method":"notifications/cancelled"}\n')
    server.send(2, 'tools/list')
    await server.resultOf(2)
    server.endStdin()
    expect(await server.exited).toBe(0)
    expect(server.lines).toHaveLength(1)
  })
})

describe('changes', () => {
  it('need a flag, and are marked for the host to ask about', async () => {
    const client = await connectForTest(['--allow-writes'])
    const { tools } = await client.listTools()
    expect(tools.slice(4).map(({ name, annotations }) => [name, annotations])).toEqual(
      ['cordon', 'uncordon'].map((name) => [
        name,
        { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      ]),
    )
    const reason = 'its disk is full'
    const cordoned = await callTool(client, 'cordon', { network: 'main', upstream: 'near', reason })
    expect(cordoned).toMatchObject({ data: { isCordoned: true }, text: `near is cordoned: ${reason}` })
    expect((await callTool(client, 'upstreams', { network: 'main' })).text).toMatch(
      /near +cordoned .* {2}its disk is full/,
    )

    const last = await callTool(client, 'cordon', { network: 'main', upstream: 'far', reason })
    expect(last).toMatchObject({ isError: true, text: expect.stringContaining('only an operator takes the last one') })
    const unknown = await callTool(client, 'cordon', { network: 'main', upstream: 'afar', reason })
    expect(unknown).toMatchObject({ isError: true, text: 'no such upstream of main; there are: near, far' })

    const used = await callTool(client, 'uncordon', { network: 'main', upstream: 'near' })
    expect(used).toMatchObject({ data: { isCordoned: false }, text: 'near is in use' })
  })

  it('take a token that may make them', async () => {
    const client = await connectForTest(['--allow-writes'], 'reading token')
    const { isError, text } = await callTool(client, 'cordon', { network: 'main', upstream: 'near', reason: 'none' })
    expect([isError, text]).toEqual([true, 'this admin token needs the scope networks or all'])
  })
})

describe('lines', () => {
  it('that are no message are answered, and the next one is served', async () => {
    const server = start()
    for (const [line, code] of [
      ['nonsense', -32700],
      ['{"jsonrpc":"2.0","id":1,', -32700],
      ['[]', -32600],
      ['{"jsonrpc":"1.0","id":{},"method":"ping"}', -32600],
      ['"text"', -32600],
      [`${'['.repeat(200)}${']'.repeat(200)}`, -32700],
    ] as const) {
      const before = server.lines.length
      server.write(`${line}\n`)
      await vi.waitFor(() => expect(server.lines.length).toBe(before + 1), { timeout: 30_000 })
      const { id, error } = JSON.parse(server.lines.at(-1)!) as { id?: unknown; error: { code: number } }
      expect([line, id, error.code]).toEqual([line, undefined, code])
    }
    server.write('\n\r\n{"jsonrpc":"2.0","id":7,"result":{}}\n')
    server.write('{"jsonrpc":"2.0","method":"notifications/of_the_future"}\n')
    server.send(8, 'tools/list')
    expect((await server.resultOf(8)).tools).toHaveLength(4)
    expect(server.lines).toHaveLength(7)
  })

  it('longer than a mebibyte are refused without being kept', async () => {
    const server = start()
    for (let i = 0; i < 64; i++) server.write('x'.repeat(1_048_576))
    server.write('\n')
    expect(await server.errorOf(undefined)).toMatchObject({
      code: -32600,
      message: 'expected a message of at most 1048576 bytes, got a longer line',
    })
    server.send(2, 'tools/list')
    await server.resultOf(2)
  })

  it('may come in pieces, in one piece, and as a batch of 2025-03-26', async () => {
    const server = start()
    const initialize =
      '{"jsonrpc":"2.0","id":"é","method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{}}}\n'
    for (const byte of Buffer.from(initialize)) server.write(String.fromCharCode(byte))
    server.write('{"jsonrpc":"2.0","id":2,"method":"ping"}\n{"jsonrpc":"2.0","id":3,"method":"ping"}\r\n')
    expect(await server.resultOf(3)).toEqual({})
    server.write('[{"jsonrpc":"2.0","id":4,"method":"ping"},{"jsonrpc":"2.0","id":5,"method":"tools/list"}]\n')
    await vi.waitFor(() => expect(server.lines).toHaveLength(4), { timeout: 30_000 })
    expect((JSON.parse(server.lines[3]!) as { id: number }[]).map(({ id }) => id)).toEqual([4, 5])
  })

  it('are answered by the revision that they name', async () => {
    const server = start()
    const ask = (id: number, method: string, params: object): void =>
      server.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    const version = 'io.modelcontextprotocol/protocolVersion'
    ask(1, 'tools/list', {})
    ask(2, 'tools/list', { _meta: { ...modernMeta, [version]: '2031-01-01' } })
    ask(3, 'tools/list', { _meta: { [version]: '2026-07-28' } })
    ask(4, 'ping', { _meta: modernMeta })
    ask(5, 'server/discover', { _meta: modernMeta })
    ask(6, 'initialize', { protocolVersion: '2031-01-01' })
    ask(7, 'initialize', { protocolVersion: '2024-11-05' })
    ask(8, 'resources/list', {})
    ask(9, 'tools/list', { cursor: 'x', _meta: modernMeta })
    ask(10, 'tools/call', { name: 5, _meta: modernMeta })
    expect((await server.errorOf(1)).code).toBe(-32602)
    expect(await server.errorOf(2)).toEqual({
      code: -32022,
      message: 'Unsupported protocol version',
      data: { supported: ['2026-07-28'], requested: '2031-01-01' },
    })
    expect((await server.errorOf(3)).message).toContain('clientCapabilities')
    expect((await server.errorOf(4)).code).toBe(-32601)
    expect(await server.resultOf(5)).toMatchObject({
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'wayleave' } },
    })
    expect((await server.resultOf(6)).protocolVersion).toBe('2025-11-25')
    expect((await server.resultOf(7)).protocolVersion).toBe('2024-11-05')
    expect((await server.errorOf(8)).code).toBe(-32601)
    expect((await server.errorOf(9)).code).toBe(-32602)
    expect((await server.errorOf(10)).message).toBe('params name: expected the name of a tool, got 5')
  })
})

describe('the process', () => {
  it('writes nothing but messages to stdout, whatever a configuration prints', async () => {
    const loud = join(folder, 'loud.config.ts')
    const config = { networks: { main: { kind: 'evm', chainId: 1, upstreams: [peers[0].httpUrl] } } }
    await writeFile(
      loud,
      `console.log('to the console')\nprocess.stdout.write('to stdout\\n')\nexport default ${JSON.stringify(config)}\n`,
    )
    const server = start(['--config', loud])
    server.send(1, 'tools/call', { name: 'doctor' })
    expect((await server.resultOf(1)).isError).toBe(false)
    expect(server.lines).toHaveLength(1)
    expect(server.stderr()).toContain('to the console\n')
    expect(server.stderr()).toContain('to stdout\n')
  })

  it('answers what a pipe asked before it ended, and ends', async () => {
    const server = start()
    server.send(1, 'tools/call', { name: 'upstreams' })
    server.endStdin()
    expect(await server.exited).toBe(0)
    expect((await server.resultOf(1)).structuredContent.phase).toBe('running')
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('ends in order by %s', async (signal) => {
    const server = start()
    server.send(1, 'tools/list')
    await server.resultOf(1)
    server.kill(signal)
    expect(await server.exited).toBe(0)
  })

  it('reads no further while its answers are not read', async () => {
    const server = start()
    server.send(1, 'tools/list')
    await server.resultOf(1)
    server.pauseReading()
    for (let i = 2; i < 3_002; i++) server.send(i, 'tools/list')
    await sleep(2_000)
    expect(server.unsent()).toBeGreaterThan(100_000)
    server.resumeReading()
    await server.resultOf(3_001)
    expect(server.lines).toHaveLength(3_001)
  })

  it('takes eight calls at once', async () => {
    peers[0].http = hang
    const server = start(['--upstream', peers[0].httpUrl])
    for (let i = 0; i < 20; i++) server.send(i, 'tools/call', { name: 'explain' })
    for (let i = 0; i < 20; i++) await server.resultOf(i)
    const refused = server.lines.filter((line) => line.includes('8 calls are under way'))
    expect(refused.length).toBeGreaterThan(0)
    server.send('next', 'tools/call', { name: 'explain' })
    expect((await server.resultOf('next')).isError).toBe(false)
  })

  it('says what it lacks: a token, a gateway', async () => {
    const open = start(['--config', configFile], 'none')
    open.send(1, 'tools/call', { name: 'usage' })
    open.send(2, 'tools/call', { name: 'upstreams' })
    expect((await open.resultOf(1)).content[0]!.text).toContain('--token-file FILE')
    expect((await open.resultOf(2)).content[0]!.text).toContain('scope read or networks')
    const alone = start(['--admin', 'http://127.0.0.1:9'])
    for (const [i, name] of ['usage', 'upstreams', 'explain'].entries()) {
      alone.send(i, 'tools/call', { name })
      const { isError, content } = await alone.resultOf(i)
      expect([isError, content[0]!.text]).toEqual([
        true,
        expect.stringMatching(/http:\/\/127\.0\.0\.1:9( gave no answer|: --admin URL names)/),
      ])
    }
  })

  it.each([
    [['--token-file', '-'], 'expected a file, since stdin brings the messages'],
    [['--admin', 'http://user:pass@127.0.0.1:9'], 'expected an http or https URL without credentials'],
    [['--config', 'a', '--upstream', 'http://localhost:1'], 'got both'],
  ])('refuses %j', async (args, words) => {
    const server = start(args)
    expect(await server.exited).toBe(2)
    expect(server.stderr()).toContain(words)
    expect(server.lines).toEqual([])
  })
})

it('keeps what callers and nodes say to a line, and to its length', async () => {
  const client = await connectForTest()
  const method = 'eth_\u001B[31m\u202E'
  await post(`${gateway.rpc}/v3/${key}`, { jsonrpc: '2.0', id: 1, method, params: [] })
  const { text, data } = await callTool(client, 'explain')
  expect(['\u001B', '\u202E'].filter((char) => text.includes(char))).toEqual([])
  expect(text).toContain('\\u001b[31m')
  expect(JSON.stringify(data).length).toBeLessThan(262_144)
})

it('has told no key, secret or token to anybody', () => {
  expect(reported.length).toBeGreaterThan(10_000)
  expect(secretsIn(reported, secrets)).toEqual([])
})
