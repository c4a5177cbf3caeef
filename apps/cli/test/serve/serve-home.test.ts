import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  call,
  folder,
  post,
  readyOf,
  runProcess,
  runWayleave,
  serveHttp,
  serveNode,
  wayleave,
  type Wayleave,
  within,
} from '../helpers.ts'

const block = { number: '0x1', hash: `0x${'11'.repeat(32)}`, parentHash: `0x${'00'.repeat(32)}`, timestamp: '0x1' }

/** The node of a chain. */
const nodeOf = (chainId: string): Promise<{ url: string }> =>
  serveNode(({ method }) => {
    if (method === 'eth_getBlockByNumber') return block
    return method === 'eth_chainId' ? chainId : { code: -32601, message: `no ${method}` }
  })

function flagsFor(upstreams: readonly string[], dataDir: string, ...more: string[]): string[] {
  const flags = upstreams.flatMap((url) => ['--upstream', url])
  return ['serve', ...flags, '--port', '0', '--admin-port', '0', '--data-dir', dataDir, ...more]
}

interface HomeReady {
  readonly rpc: string
  readonly networks: Record<string, number | string>
  readonly apiKey: string
  readonly keyFile: string
}

const homeReady = async (serve: Wayleave): Promise<HomeReady> => (await readyOf(serve)) as unknown as HomeReady

describe('wayleave serve --upstream', () => {
  it('serves a node without a file, with a key that it makes and keeps', async () => {
    const { url } = await nodeOf('0x539')
    const dataDir = await folder()
    const serve = wayleave(flagsFor([url], dataDir, '--json'))
    const { rpc, networks, apiKey, keyFile } = await homeReady(serve)
    expect(networks).toEqual({ 'chain-1337': 1337 })
    expect(apiKey).toMatch(/^wl_\w{28}$/)
    expect(await call(`${rpc}/v3/${apiKey}`, 'eth_chainId')).toBe('0x539')
    expect((await post(`${rpc}/v3/another-key`, {})).status).toBe(401)
    expect(keyFile).toBe(join(dataDir, 'key'))
    expect(await readFile(keyFile, 'utf8')).toBe(`${apiKey}\n`)
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600)
    serve.child.kill('SIGTERM')
    expect(await serve.exited).toBe(0)
    expect(serve.stderr().match(/\n/g)).toHaveLength(1)
    expect(JSON.parse(serve.stderr())).toMatchObject({ msg: 'a key was refused', reason: 'unknown_key' })
    expect(serve.stderr()).not.toContain('another-key')
    const again = await homeReady(wayleave(flagsFor([url], dataDir, '--json')))
    expect(again.apiKey).toBe(apiKey)
  })

  it('prints URLs, a line for curl and lines for viem, and no part of a URL that may be a key', async () => {
    const { url } = await nodeOf('0x1')
    const dataDir = await folder()
    await mkdir(dataDir, { recursive: true })
    await writeFile(join(dataDir, 'key'), 'the-key-of-this-test\n')
    const serve = wayleave(flagsFor([`${url}/v3/the-key-of-the-node`], dataDir))
    expect(await within(40_000, () => serve.stdout().includes('Ctrl-C'))).toBe(true)
    const text = serve.stdout()
    const rpc = /http:\/\/127\.0\.0\.1:\d+(?=\/v3)/.exec(text)![0]
    const lines = text
      .replaceAll(rpc, 'RPC')
      .replaceAll(rpc.replace('http', 'ws'), 'WS')
      .replaceAll(dataDir, 'DIR')
      .split('\n')
    expect(lines.map((line) => line.replace(/http:\/\/127\.0\.0\.1:\d+\/metrics/, 'METRICS'))).toEqual([
      '',
      'wayleave serve is ready',
      '',
      '  mainnet  chain 1  RPC/v3/the-key-of-this-test',
      '                    WS/ws/v3/the-key-of-this-test',
      `                    from ${url}`,
      '  key               kept in DIR/key',
      '  metrics           METRICS',
      '',
      'A first call:',
      '',
      `  curl RPC/v3/the-key-of-this-test -H 'content-type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'`,
      '',
      'From a program, with viem:',
      '',
      `  import { createPublicClient, http } from 'viem'`,
      `  const client = createPublicClient({ transport: http('RPC/v3/the-key-of-this-test') })`,
      `  console.log(await client.getBlockNumber())`,
      '',
      'Only this machine can call: --host 0.0.0.0 lets others in, --public-url names a proxy with a certificate. Ctrl-C stops it.',
      '',
    ])
  })

  it('makes a network of each chain, the first one the default, and one of two nodes of a chain', async () => {
    const [one, two, three] = [await nodeOf('0x7'), await nodeOf('0x1'), await nodeOf('0x7')]
    const serve = wayleave(flagsFor([one.url, two.url, three.url], await folder(), '--json'))
    const { rpc, networks, apiKey } = await homeReady(serve)
    expect(networks).toEqual({ 'chain-7': 7, mainnet: 1 })
    expect(await call(`${rpc}/v3/${apiKey}`, 'eth_chainId')).toBe('0x7')
    expect(await call(`${rpc}/mainnet/v3/${apiKey}`, 'eth_chainId')).toBe('0x1')
  })

  it('serves a Starknet node, with the path that starknet.js needs', async () => {
    const { url } = await serveNode(({ method }) =>
      method === 'starknet_chainId' ? '0x534e5f4d41494e' : { code: -32601, message: '' },
    )
    const serve = wayleave(flagsFor([url], await folder()))
    expect(await within(40_000, () => serve.stdout().includes('Ctrl-C'))).toBe(true)
    expect(serve.stdout()).toMatch(/^ {2}starknet-mainnet {2}chain SN_MAIN {2}http:\S+\/v3\/wl_\w{28}\/rpc\/v0_10$/m)
    expect(serve.stdout()).toMatch(/new RpcProvider\(\{ nodeUrl: 'http:\S+\/rpc\/v0_10' \}\)/)
  })

  it('prints the address of a proxy before it, and takes its name for no network', async () => {
    const { url } = await nodeOf('0x1')
    const serve = wayleave(flagsFor([url], await folder(), '--public-url', 'https://node.example.org/'))
    expect(await within(40_000, () => serve.stdout().includes('Ctrl-C'))).toBe(true)
    const [, key] = /curl https:\/\/node\.example\.org\/v3\/(wl_\w{28}) /.exec(serve.stdout())!
    const [, here] = /proxied .*to (http:\S+)/.exec(serve.stdout())!
    expect(serve.stdout()).toContain('wss://node.example.org/ws/v3/')
    expect((await post(`${here}/v3/${key}`, { host: 'node.example.org' })).status).toBe(200)
    expect((await post(`${here}/v3/${key}`, { host: 'other.example.org' })).status).toBe(404)
  })

  it('names each node that cannot be served, with the reason, and exits 1', async () => {
    const { url: silent } = await serveNode(() => new Promise(() => {}))
    const { url: lost } = await serveHttp((_request, response) => response.writeHead(404).end())
    const dataDir = await folder()
    const started = flagsFor(['http://127.0.0.1:9/secret', silent, lost], dataDir)
    expect(await runWayleave(started)).toEqual({
      code: 1,
      stdout: '',
      stderr: `wayleave serve: http://127.0.0.1:9: nothing listens there (ECONNREFUSED)
wayleave serve: ${silent}: it gives no answer within 3 s
wayleave serve: ${lost}: it answers HTTP 404
Is the node running, with its HTTP API on (geth --http)? --upstream URL names another.
`,
    })
    await expect(stat(join(dataDir, 'key'))).rejects.toThrow('ENOENT')
  })

  it('serves without a node that cannot be reached, and tells so', async () => {
    const { url } = await nodeOf('0x7')
    const serve = wayleave(flagsFor([url, 'http://127.0.0.1:9/S3CR3T'], await folder(), '--json'))
    const { rpc, networks, apiKey } = await homeReady(serve)
    expect(networks).toEqual({ 'chain-7': 7 })
    expect(await call(`${rpc}/v3/${apiKey}`, 'eth_chainId')).toBe('0x7')
    serve.child.kill('SIGTERM')
    await serve.exited
    expect(serve.stderr()).toBe(
      'wayleave serve: left out until the next start: http://127.0.0.1:9: nothing listens there (ECONNREFUSED)\n',
    )
  })

  it('is not served where the default network is not known, or a URL is that of no node', async () => {
    const { url } = await nodeOf('0x7')
    const { url: lost } = await serveHttp((_request, response) => response.writeHead(404).end())
    expect(await runWayleave(flagsFor(['http://127.0.0.1:9', url], await folder()))).toEqual({
      code: 1,
      stdout: '',
      stderr: `wayleave serve: http://127.0.0.1:9: nothing listens there (ECONNREFUSED)
Is the node running, with its HTTP API on (geth --http)? --upstream URL names another.
The first --upstream is the default network: put one first that answers.
`,
    })
    expect(await runWayleave(flagsFor([url, lost], await folder()))).toEqual({
      code: 1,
      stdout: '',
      stderr: `wayleave serve: ${lost}: it answers HTTP 404\n`,
    })
  })

  it('says that a port is in use before it asks a node, and exits 1', async () => {
    const { port } = await serveHttp((_request, response) => response.end())
    const { code, stderr } = await runWayleave(['serve', '--upstream', 'http://127.0.0.1:9', '--port', String(port)])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `wayleave serve: port ${port} of 127.0.0.1 is in use: stop what listens there, or choose another with --port (0 takes any free one)\n`,
    })
  })

  const http = 'http://127.0.0.1:9'
  it.each([
    [
      ['--upstream', 'localhost:8545'],
      '--upstream: expected an http, https, ws or wss URL; is it http://localhost:8545?',
    ],
    [['--upstream', http, '--upstream', `${http}/`], '--upstream: expected each node once, got one twice'],
    [['--upstream', http, '--config', 'a.yaml'], 'expected --config FILE or --upstream URL, got both'],
    [['--upstream', http, '--watch'], 'expected no --watch beside --upstream: there is no file to watch'],
    [
      ['--upstream', http, '--host', 'example.org'],
      '--host: expected an IP address of this machine, or 0.0.0.0 for all of them, got "example.org"',
    ],
    [['--upstream', http, '--port', 'x'], '--port: expected a port from 0 to 65535, got "x"'],
    [['--upstream', http, '--data-dir', ''], '--data-dir: expected a folder, got nothing'],
    [
      ['--upstream', http, '--public-url', 'https://a.example/v3'],
      '--public-url: expected a URL with nothing behind its host, such as https://node.example.org',
    ],
    [['--config', 'a.yaml', '--port', '1'], '--port goes with --upstream; a file has listen and dataDir'],
  ])('refuses %j with exit code 2', async (args, words) => {
    expect(await runWayleave(['serve', ...args])).toEqual({
      code: 2,
      stdout: '',
      stderr: `wayleave serve: ${words}\nwayleave serve --help tells more.\n`,
    })
  })

  it('refuses a data folder that another process has, by its flag', async () => {
    const { url } = await nodeOf('0x1')
    const dataDir = await folder()
    await homeReady(wayleave(flagsFor([url], dataDir, '--json')))
    expect(await runProcess(flagsFor([url], dataDir))).toEqual({
      code: 1,
      stdout: '',
      stderr: `wayleave serve: ${dataDir} is in use by another process: stop that one, or choose another folder with --data-dir\n`,
    })
  })

  it('refuses a file that holds no key, and says what to do', async () => {
    const { url } = await nodeOf('0x1')
    const dataDir = await folder()
    await writeFile(join(dataDir, 'key'), 'short')
    const { code, stderr } = await runWayleave(flagsFor([url], dataDir))
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `wayleave serve: ${join(dataDir, 'key')}: expected a key of 16 to 128 letters, digits, - and _; delete the file to get a new one\nwayleave serve --help tells more.\n`,
    })
  })
})
