import { once } from 'node:events'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import {
  call,
  file,
  folder,
  post,
  readyOf,
  runProcess,
  runWayleave,
  serveHttp,
  serveNode,
  wayleave,
  within,
} from '../helpers.ts'

const fixture = fileURLToPath(new URL('../fixtures/wayleave.config.ts', import.meta.url))
const env = { TEST_KEY: 'the-key-of-this-test', TEST_SECRET: 'the-secret-of-this-test' }

/** Whether a gateway takes no more connections. */
const isRefused = (rpc: string): Promise<boolean> =>
  post(`${rpc}/healthz`, {}).then(
    () => false,
    () => true,
  )

function jsonConfig(upstream: string, further: object = {}): Promise<string> {
  const config = {
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    networks: { devnet: { kind: 'evm', chainId: 7, followHeads: false, upstreams: [upstream] } },
    projects: [{ name: 'demo', keys: [{ key: '${TEST_KEY}', secret: '${TEST_SECRET}' }] }],
    ...further,
  }
  return file('wayleave.config.json', JSON.stringify(config))
}

const yaml = `
listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' }
networks:
  devnet:
    kind: evm
    chainId: 7
    followHeads: false
    upstreams: ['\${TEST_UPSTREAM}']
projects:
  - name: demo
    keys: [{ key: '\${TEST_KEY}', secret: '\${TEST_SECRET}' }]
`

/** Reads the sentences of a log. */
const messagesOf = (log: string): readonly string[] =>
  log
    .split('\n')
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as { readonly msg: string }).msg)

describe('wayleave serve', () => {
  it.each([
    ['TypeScript', () => Promise.resolve(fixture)],
    ['YAML', () => file('wayleave.config.yaml', yaml)],
    ['JSON', () => jsonConfig('${TEST_UPSTREAM}')],
  ])('serves a configuration in %s, with variables of the environment', async (_form, config) => {
    const { url } = await serveNode(({ method }) => `answer to ${method}`)
    const serve = wayleave(['serve', '--config', await config(), '--json'], { ...env, TEST_UPSTREAM: url })
    const { rpc, ws, admin } = await readyOf(serve)
    expect(serve.stdout()).toBe(
      `{"event":"ready","rpc":"${rpc}","ws":"${ws}","gas":"${rpc}","admin":"${admin}","networks":{"devnet":7}}\n`,
    )
    expect(await call(`${rpc}/v3/${env.TEST_KEY}`, 'eth_chainId')).toBe('answer to eth_chainId')
    expect((await post(`${rpc}/devnet/v3/another-key`, {})).status).toBe(401)
    const basic = Buffer.from(`:${env.TEST_SECRET}`).toString('base64')
    expect((await post(`${rpc}/devnet/v3/${env.TEST_KEY}`, { authorization: `Basic ${basic}` })).status).toBe(200)
    serve.child.kill('SIGTERM')
    expect(await serve.exited).toBe(0)
    const warned = 'the configuration is served, and holds what is probably not meant'
    expect(messagesOf(serve.stderr())).toEqual(['the gateway serves', warned, 'a key was refused'])
    for (const value of [...Object.values(env), 'another-key']) expect(serve.stderr()).not.toContain(value)
  })

  it('serves with workers, from a file and without one', async () => {
    const { url } = await serveNode(({ method }) => (method === 'eth_chainId' ? '0x7' : `answer to ${method}`))
    const home = ['--upstream', url, '--port', '0', '--admin-port', '0', '--data-dir', await folder()]
    for (const args of [['--config', await jsonConfig(url)], home]) {
      const serve = wayleave(['serve', ...args, '--workers', '2', '--json'], env)
      const {
        rpc,
        admin,
        apiKey = env.TEST_KEY,
      } = (await readyOf(serve)) as Awaited<ReturnType<typeof readyOf>> & {
        readonly apiKey?: string
      }
      expect(await call(`${rpc}/v3/${apiKey}`, 'eth_gasPrice')).toBe('answer to eth_gasPrice')
      expect(await (await fetch(`${admin}/readyz`)).text()).toContain('workers: 2 of 2 serve\n')
      // Each call is remembered by the worker that served it.
      for (let i = 0; i < 4; i++) {
        const { headers } = await fetch(`${rpc}/v3/${apiKey}`, {
          method: 'POST',
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'admin_peers' }),
        })
        const reported = await (await fetch(`${admin}/explain/${headers.get('x-trace-id')}`)).json()
        expect(reported).toMatchObject({ calls: [{ method: 'admin_peers', outcome: 'refused' }] })
      }
      expect(await (await fetch(`${admin}/explain`)).json()).toMatchObject({
        calls: Array.from({ length: 4 }, () => ({ outcome: 'refused' })),
      })
      serve.child.kill('SIGTERM')
      expect(await serve.exited).toBe(0)
    }
  })

  it('without --json tells a person where each network is, and holds no key', async () => {
    const serve = wayleave(['serve', '--config', await jsonConfig('http://127.0.0.1:9')], env)
    expect(await within(40_000, () => serve.stdout().includes('/metrics'))).toBe(true)
    expect(serve.stdout()).toMatch(/^ {2}devnet {3}chain 7 {2}http:\/\/127\.0\.0\.1:\d+\/devnet\/v3\/<key>$/m)
    expect(serve.stdout()).not.toContain(env.TEST_KEY)
  })

  it('lets calls in flight finish after SIGTERM, takes no new ones, and exits 0', async () => {
    let answer: (value: string) => void = () => {}
    let asked = 0
    const { url } = await serveNode(() => {
      asked++
      return new Promise<string>((resolve) => (answer = resolve))
    })
    const serve = wayleave(['serve', '--config', await jsonConfig(url), '--json'], env)
    const { rpc } = await readyOf(serve)
    const pending = post(`${rpc}/v3/${env.TEST_KEY}`, {})
    expect(await within(40_000, () => asked === 1)).toBe(true)
    serve.child.kill('SIGTERM')
    expect(await within(40_000, () => isRefused(rpc))).toBe(true)
    answer('late')
    expect(await pending).toEqual({ status: 200, body: '{"jsonrpc":"2.0","id":1,"result":"late"}' })
    expect(await serve.exited).toBe(0)
  })

  it('ends at once with 1 on a second signal', async () => {
    let asked = 0
    const { url } = await serveNode(() => {
      asked++
      return new Promise(() => {})
    })
    const serve = wayleave(['serve', '--config', await jsonConfig(url), '--json'], env)
    const { rpc } = await readyOf(serve)
    const pending = post(`${rpc}/v3/${env.TEST_KEY}`, {}).catch(() => 'broken off')
    expect(await within(40_000, () => asked === 1)).toBe(true)
    serve.child.kill('SIGTERM')
    // It has heard the first one when it takes no more connections; at the end of its grace it would exit with 0.
    expect(await within(40_000, () => isRefused(rpc))).toBe(true)
    expect(serve.child.exitCode).toBe(null)
    serve.child.kill('SIGTERM')
    expect(await serve.exited).toBe(1)
    expect(await pending).toBe('broken off')
  })

  it('says in one sentence that a port is in use, and exits 1', async () => {
    const { port } = await serveHttp((_request, response) => response.end())
    for (const [member, what] of [
      ['rpc', 'JSON-RPC'],
      ['admin', 'The admin listener'],
    ] as const) {
      const listen = { rpc: '127.0.0.1:0', admin: '127.0.0.1:0', [member]: `127.0.0.1:${port}` }
      const { code, stdout, stderr } = await runWayleave(
        ['serve', '--config', await jsonConfig('http://h', { listen })],
        env,
      )
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(new RegExp(`^${what} cannot listen on 127\\.0\\.0\\.1:${port}: the port is in use.*\\n$`))
    }
  })

  const twice = [{ name: 'demo', keys: [{ key: '${TEST_KEY}' }, { key: '${TEST_KEY}' }] }]
  const bare = [{ name: 'demo', requireSecret: true, keys: [{ key: '${TEST_KEY}' }] }]
  it.each([
    [
      'a variable that is not set',
      { dataDir: '${NOT_SET}' },
      'dataDir: expected the environment variable NOT_SET to be set',
    ],
    ['an unknown member', { netwroks: {} }, 'netwroks: expected one of: '],
    ['a wrong member', { limits: { maxBatch: 0 } }, 'limits.maxBatch: expected a whole number above 0, got 0'],
    [
      'a malformed key',
      { projects: [{ name: 'demo', keys: [{ key: '${TEST_KEY}!' }] }] },
      'projects[0].keys[0].key: expected',
    ],
    ['a key that stands twice', { projects: twice }, 'projects[0].keys[1].key: expected a key that stands once'],
    ['a required secret that is missing', { projects: bare }, 'projects[0].keys[0].secret: expected a secret'],
  ])('explains %s in one sentence, without a key, and exits 2', async (_what, further, words) => {
    const config = await jsonConfig('http://127.0.0.1:9', further)
    const { code, stdout, stderr } = await runWayleave(['serve', '--config', config], env)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr.replace(/^(.*?):\d+:\d+: /, '$1: ').startsWith(`${config}: ${words}`)).toBe(true)
    expect(stderr.match(/\n/g)).toHaveLength(1)
    for (const value of Object.values(env)) expect(stderr).not.toContain(value)
  })

  it.each([
    [['--config', '/does/not/exist.yaml'], '/does/not/exist.yaml: expected a file that can be read, got ENOENT'],
    [['--config', process.execPath], `${process.execPath}: expected a .ts, .js, .yaml or .json file`],
    [[], 'wayleave serve: there is no wayleave.config.ts, .yaml, .yml or .json in this folder: '],
    [['--config'], 'wayleave serve: --config: expected a value'],
    [['a.yaml'], 'wayleave serve: unexpected argument "a.yaml"'],
    [['--workers', '0'], 'wayleave serve: --workers: expected a number from 1 to 64, or auto, got "0"'],
    [['--workers', '65'], 'wayleave serve: --workers: expected a number from 1 to 64, or auto, got "65"'],
  ])('refuses %j with exit code 2', async (args, words) => {
    const { code, stdout, stderr } = await runWayleave(['serve', ...args])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(words)
  })

  it.each([
    ['config.json', '{"projects":[{"name":"demo","keys":[{"key": the-key-of-this-test}]}]}'],
    ['config.yaml', 'projects:\n  - name: demo\n    keys: [{ key: *the-key-of-this-test }]\n'],
    ['config.ts', 'export default { projects: [{ name: "demo", keys: ["the-key-of-this-test" 1] }] }\n'],
  ])('tells that %s cannot be parsed without quoting it, and exits 2', async (name, content) => {
    const config = await file(name, content)
    // TypeScript as Node alone reads it.
    const read = name.endsWith('.ts') ? runProcess : runWayleave
    const { code, stdout, stderr } = await read(['serve', '--config', config])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(
      /^.*config\.\w+(:\d+:\d+)?: expected (?:a program that runs|a file that can be read|JSON), got .*\n$/,
    )
    expect(stderr).not.toContain('the-key')
  })

  it.each([
    ['export default {\n  networks: {} projects: []\n}\n', ':2:16: expected a program that runs, got bad syntax'],
    ['export default {', ':1:1: expected a program that runs, got bad syntax'],
    ['export default { networks: mine }', ': expected a program that runs, got something that is used and not defined'],
  ])('tells where the program %j goes wrong, as far as Node does', async (content, words) => {
    const config = await file('config.ts', content)
    const { code, stderr } = await runProcess(['serve', '--config', config])
    expect([code, stderr]).toEqual([2, `${config}${words}; run it by node, which tells more\n`])
  })

  it('logs failures of a node to stderr, without keys, secrets or URLs', async () => {
    const upstream = 'http://user:node-password@127.0.0.1:9/v3/node-key'
    const serve = wayleave(['serve', '--config', await jsonConfig(upstream), '--json'], env)
    const { rpc } = await readyOf(serve)
    const basic = Buffer.from(`:${env.TEST_SECRET}`).toString('base64')
    expect((await post(`${rpc}/v3/${env.TEST_KEY}`, { authorization: `Basic ${basic}` })).status).toBe(502)
    expect(await within(40_000, () => messagesOf(serve.stderr()).length > 2)).toBe(true)
    expect(JSON.parse(serve.stderr().split('\n')[2]!)).toMatchObject({
      network: 'devnet',
      endpoint: 'upstream-1',
      code: 'connect',
    })
    serve.child.kill('SIGTERM')
    expect(await serve.exited).toBe(0)
    for (const value of [...Object.values(env), basic, 'node-password', 'node-key', '127.0.0.1:9']) {
      expect(serve.stderr()).not.toContain(value)
    }
    expect(serve.stdout().match(/\n/g)).toHaveLength(1)
  })

  it('closes idle connections on SIGTERM, WebSockets by a handshake', async () => {
    const { url } = await serveNode(() => '0x7')
    const serve = wayleave(['serve', '--config', await jsonConfig(url), '--json'], env)
    const { rpc, ws } = await readyOf(serve)
    const socket = new WebSocket(`${ws}/ws/v3/${env.TEST_KEY}`)
    const idle = connect(Number(new URL(rpc).port), '127.0.0.1')
    await Promise.all([once(socket, 'open'), once(idle, 'connect')])
    const closed = once(socket, 'close')
    serve.child.kill('SIGTERM')
    expect(((await closed)[0] as CloseEvent).code).toBe(1012)
    expect(await serve.exited).toBe(0)
    idle.destroy()
  })
})
