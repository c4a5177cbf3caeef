import { createServer } from 'node:net'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  devArgs,
  key,
  type Ready,
  readyOf,
  runProcess,
  runWayleave,
  secret,
  serveHttp,
  serveNode,
  spawnWayleave,
  type Wayleave,
} from '../helpers.ts'

const rich = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

describe('wayleave rpc', () => {
  let dataDir: string
  let running: Wayleave
  let ready: Ready
  let url: string

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'wayleave-cli-rpc-'))
    running = spawnWayleave(devArgs(dataDir))
    ready = await readyOf(running)
    url = `${ready.rpc}/v3/${key}`
  })

  afterAll(async () => {
    running.child.kill('SIGTERM')
    await running.exited
    await rm(dataDir, { recursive: true, force: true })
  })

  const rpc = (...args: string[]): ReturnType<typeof runWayleave> =>
    runWayleave(['rpc', ...args], { WAYLEAVE_RPC_URL: url })

  it('prints a text as it is, and with --json as JSON', async () => {
    expect(await rpc('eth_chainId')).toEqual({ code: 0, stdout: '0x7a69\n', stderr: '' })
    expect(await rpc('eth_chainId', '--json')).toEqual({ code: 0, stdout: '"0x7a69"\n', stderr: '' })
  })

  it('prints an object over several lines, and with --json in one', async () => {
    const pretty = await rpc('eth_getBlockByNumber', 'latest', 'false')
    expect(pretty.stdout).toMatch(/^\{\n {2}"/)
    const { code, stdout } = await rpc('eth_getBlockByNumber', 'latest', 'false', '--json')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^\{"[^\n]+\}\n$/)
    expect(JSON.parse(stdout)).toEqual(JSON.parse(pretty.stdout))
    expect(JSON.parse(stdout)).toMatchObject({ number: '0x0', transactions: [] })
  })

  it('prints null, false and numbers', async () => {
    const { url: node } = await serveNode(({ method }) => ({ say_null: null, say_false: false, say_number: 7 })[method])
    for (const [method, text] of [
      ['say_null', 'null'],
      ['say_false', 'false'],
      ['say_number', '7'],
    ] as const) {
      expect(await rpc(method, '--rpc-url', node)).toEqual({ code: 0, stdout: `${text}\n`, stderr: '' })
    }
  })

  it('sends what parses as JSON as JSON, and everything else as text', async () => {
    const seen: unknown[] = []
    const { url: node } = await serveNode(({ params }) => seen.push(params))
    const texts = ['12', 'true', 'null', '{"to":"0x1"}', '["a"]', '"12"', rich, 'latest', '', '{oops']
    expect((await rpc('some_method', ...texts, '--rpc-url', node)).code).toBe(0)
    expect(seen).toEqual([[12, true, null, { to: '0x1' }, ['a'], '12', rich, 'latest', '', '{oops']])
  })

  it('loses no digit of params and result, whichever way they are printed', async () => {
    const bodies: string[] = []
    const result = '{"n": 12345678901234567890,"x":1e400, "z":-0,"twin":1,"twin":[ ]}'
    const { url: node } = await serveHttp((incoming, response) => {
      let text = ''
      incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      incoming.on('end', () => {
        bodies.push(text)
        response.end(`{"jsonrpc":"2.0","id":${(JSON.parse(text) as { id: number }).id},"result":${result}}`)
      })
    })
    const args = ['some_method', '98765432109876543210', '{"a":1.0}', '--rpc-url', node]
    expect((await rpc(...args)).stdout).toBe(
      '{\n  "n": 12345678901234567890,\n  "x": 1e400,\n  "z": -0,\n  "twin": 1,\n  "twin": []\n}\n',
    )
    expect((await rpc(...args, '--json')).stdout).toBe(
      '{"n":12345678901234567890,"x":1e400,"z":-0,"twin":1,"twin":[]}\n',
    )
    const raw = '[ 98765432109876543210, {"a":1.0} ]'
    expect((await runProcess(['rpc', 'some_method', '--raw', '--rpc-url', node], {}, raw)).code).toBe(0)
    expect(bodies.map((body) => /"params":(\[.*\])/.exec(body)?.[1]?.replaceAll(' ', ''))).toEqual(
      Array.from({ length: 3 }, () => '[98765432109876543210,{"a":1.0}]'),
    )
  })

  it.each([
    ['nothing', ''],
    ['a number', '12'],
    ['half an array', '[1'],
  ])('refuses %s on stdin with exit code 2', async (_what, input) => {
    const { code, stdout, stderr } = await runWayleave(['rpc', 'some_method', '--raw', '--rpc-url', url], {}, input)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('--raw: expected one JSON array or object on stdin')
  })

  it('reaches another network of the gateway by --network, over HTTP and WebSocket', async () => {
    const socket = `${ready.ws}/ws/v3/${key}`
    for (const at of [url, `${ready.rpc}/dev/v3/${key}`, socket]) {
      expect((await rpc('eth_chainId', '--rpc-url', at, '--network', 'rollup-dev')).stdout).toBe('0x385\n')
    }
    // What is before its key is no network.
    expect((await rpc('eth_chainId', '--rpc-url', socket)).stdout).toBe('0x7a69\n')
    const { url: node } = await serveNode(() => '0x1')
    const refused = await rpc('eth_chainId', '--rpc-url', node, '--network', 'dev')
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('--network: needs the URL of a gateway, which ends in /v3/KEY')
  })

  it('prints the error of the node with its data, and exits 1', async () => {
    const { url: node } = await serveNode(() => ({ code: 3, message: 'execution reverted', data: '0x08c379a0' }))
    expect(await rpc('eth_thing', '--rpc-url', node)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'eth_thing: execution reverted (3)\ndata: "0x08c379a0"\n',
    })
    expect(await rpc('eth_thing', '--rpc-url', node, '--json')).toEqual({
      code: 1,
      stdout: '{"error":{"code":3,"message":"execution reverted","data":"0x08c379a0"}}\n',
      stderr: '',
    })
  })

  it('prints the data of an error by its own digits', async () => {
    const { url: node } = await serveHttp((incoming, response) => {
      incoming.setEncoding('utf8').once('data', (text: string) => {
        const { id } = JSON.parse(text) as { id: number }
        const error = '{"code":-32000,"message":"no","data":{ "n":9007199254740993 }}'
        response.end(`{"jsonrpc":"2.0","id":${id},"error":${error}}`)
      })
    })
    const { stdout } = await rpc('some_method', '--rpc-url', node, '--json')
    expect(stdout).toBe('{"error":{"code":-32000,"message":"no","data":{"n":9007199254740993}}}\n')
    expect((await rpc('some_method', '--rpc-url', node)).stderr).toBe(
      'some_method: no (-32000)\ndata: {"n":9007199254740993}\n',
    )
  })

  it('refuses wrong params of a known method before it sends them, and sends them --unchecked', async () => {
    const seen: unknown[] = []
    const { url: node } = await serveNode(({ params }) => seen.push(params))
    const args = ['eth_getBalance', '0x12', 'latest', '--rpc-url', node]
    const { code, stdout, stderr } = await rpc(...args)
    expect({ code, stdout, seen }).toEqual({ code: 2, stdout: '', seen: [] })
    expect(stderr).toMatch(
      /^wayleave rpc: eth_getBalance params\[0\]: expected a 20-byte address .*, got "0x12"; --unchecked/,
    )
    expect((await rpc(...args, '--unchecked')).code).toBe(0)
    expect(seen).toEqual([['0x12', 'latest']])
  })

  it('says what to do when no node answers', async () => {
    const dead = createServer().listen(0, '127.0.0.1')
    await once(dead, 'listening')
    const { port } = dead.address() as AddressInfo
    dead.close()
    const { code, stdout, stderr } = await rpc('eth_chainId', '--rpc-url', `http://127.0.0.1:${port}/v3/${key}`)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe(
      `nothing listens at http://127.0.0.1:${port}: start a gateway with wayleave dev, or name another by --rpc-url\n`,
    )
    expect(stderr).not.toContain(key)
  })

  it.each(['refused (ECONNREFUSED)', 'execution reverted (UNABLE_TO_TRANSFER)'])(
    'keeps the words of a node that says "%s"',
    async (message) => {
      const { url: node } = await serveNode(() => ({ code: -32000, message }))
      const { code, stderr } = await rpc('some_method', '--rpc-url', node)
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) as string })
      expect(stderr).not.toMatch(/nothing listens|certificate/)
      const { stdout } = await rpc('some_method', '--rpc-url', node, '--json')
      expect(JSON.parse(stdout)).toMatchObject({ error: { code: -32000, message } })
      const { url: proxy } = await serveHttp((_request, response) => response.writeHead(502).end(message))
      expect((await rpc('some_method', '--rpc-url', proxy)).stderr).toContain('502')
    },
  )

  it('says after its timeout that the node did not answer', async () => {
    const { url: node } = await serveNode(() => new Promise(() => {}))
    const { code, stderr } = await rpc('eth_chainId', '--rpc-url', node, '--timeout', '0.2')
    expect(code).toBe(1)
    expect(stderr).toMatch(/time|deadline/)
  })

  it('says which part was refused, without the key', async () => {
    const { code, stderr } = await rpc('eth_chainId', '--rpc-url', `${ready.rpc}/v3/not-the-key`)
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^127\.0\.0\.1:\d+: HTTP status 401 came instead of an answer: invalid project id\ntrace id: [\da-f]{32}\nThe key or its secret was refused: check the URL\.\n$/,
    )
  })

  it('quotes the gateway where the network is unknown, with its trace id', async () => {
    const { code, stderr } = await rpc('eth_chainId', '--rpc-url', `${ready.rpc}/mars/v3/${key}`)
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^127\.0\.0\.1:\d+: HTTP status 404 came instead of an answer: unknown network "mars"\ntrace id: [\da-f]{32}\nhint: --network names a network of the gateway\n$/,
    )
  })

  it('sends a secret from the URL', async () => {
    const at = (password: string): string => url.replace('//', `//:${password}@`)
    expect((await rpc('eth_chainId', '--rpc-url', at(secret))).stdout).toBe('0x7a69\n')
    const refused = await rpc('eth_chainId', '--rpc-url', at('wrong-secret'))
    expect({ code: refused.code, leaks: refused.stderr.includes('wrong-secret') }).toEqual({ code: 1, leaks: false })
  })

  it('calls over WebSocket', async () => {
    const socket = `${ready.ws}/rollup-dev/ws/v3/${key}`
    expect(await rpc('eth_chainId', '--rpc-url', socket)).toEqual({ code: 0, stdout: '0x385\n', stderr: '' })
  })

  it.each([
    [[], 'expected a METHOD'],
    [['eth_chainId', '--timeout', 'soon'], '--timeout: expected seconds above 0, got "soon"'],
    [['eth_chainId', '--timeout', '0'], '--timeout: expected seconds above 0'],
    [['eth_chainId', '--rpc-url', 'ftp://host/key'], '--rpc-url: expected an http, https, ws or wss URL\n'],
    [
      ['eth_chainId', '--rpc-url', 'localhost:8545/v3/a-key'],
      '--rpc-url: expected an http, https, ws or wss URL; is it http://localhost:8545/…?\n',
    ],
    [['eth_chainId', '--rpc-url', 'nonsense-key'], '--rpc-url: expected an http, https, ws or wss URL\n'],
    [['eth_chainId', '--nonsense'], 'there is no flag --nonsense'],
  ])('refuses %j with exit code 2', async (args, words) => {
    const { code, stdout, stderr } = await rpc(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(`wayleave rpc: ${words}`)
  })
})
