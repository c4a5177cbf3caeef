import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@wayleave/client'
import { devAccounts } from '@wayleave/dev-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  call,
  devArgs,
  folder,
  key,
  post,
  processesWith,
  type Ready,
  readyOf,
  runWayleave,
  secret,
  spawnWayleave,
  type Wayleave,
  within,
} from '../helpers.ts'

describe('wayleave dev', () => {
  let dataDir: string
  let running: Wayleave
  let ready: Ready
  let l1: string
  let l2: string

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'wayleave-cli-dev-'))
    running = spawnWayleave(devArgs(dataDir))
    ready = await readyOf(running)
    l1 = `${ready.rpc}/v3/${key}`
    l2 = `${ready.rpc}/rollup-dev/v3/${key}`
  })

  afterAll(async () => {
    running.child.kill('SIGTERM')
    await running.exited
    await rm(dataDir, { recursive: true, force: true })
  })

  it('--json prints one line with its members in their order, and nothing else', () => {
    const { rpc, ipfs, admin } = ready
    expect(rpc).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    for (const url of [ipfs, admin]) expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(running.stdout()).toBe(
      `{"event":"ready","rpc":"${rpc}","ws":"${rpc.replace('http', 'ws')}","gas":"${rpc}","ipfs":"${ipfs}",` +
        `"admin":"${admin}","console":"${admin}/console/","networks":{"dev":31337,"rollup-dev":901},"apiKey":"${key}","apiKeySecret":"${secret}",` +
        `"accounts":${JSON.stringify(devAccounts)}}\n`,
    )
    expect(running.stderr()).toBe('')
  })

  it('opens the console without a sign-in, to its own page alone, and leaves the rest of that listener as it was', async () => {
    const page = await fetch(ready.console)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.headers.get('content-security-policy')).toContain(`connect-src 'self' ${ready.rpc};`)
    const projects = `${ready.admin}/admin/v1/projects`
    const headers = { 'x-wayleave-console': 'open', 'content-type': 'application/json' }
    expect((await fetch(projects)).status).toBe(401)
    expect((await fetch(projects, { headers: { ...headers, origin: 'http://localhost:3000' } })).status).toBe(401)
    expect((await fetch(projects, { headers: { ...headers, origin: 'https://evil.example' } })).status).toBe(403)
    const body = JSON.stringify({ id: 'shop', name: 'Shop' })
    expect((await fetch(projects, { method: 'POST', headers, body })).status).toBe(201)
    const made = await fetch(`${projects}/shop/keys`, { method: 'POST', headers, body: '{}' })
    const { key: created } = (await made.json()) as { readonly key: string }
    await expect.poll(async () => (await post(`${ready.rpc}/v3/${created}`, {})).status).toBe(200)
    for (const path of ['/metrics', '/status']) expect((await fetch(ready.admin + path)).status).toBe(200)
  })

  it('serves both networks by path, and dev by default', async () => {
    expect(await call(l1, 'eth_chainId')).toBe('0x7a69')
    expect(await call(`${ready.rpc}/dev/v3/${key}`, 'eth_chainId')).toBe('0x7a69')
    expect(await call(l2, 'eth_chainId')).toBe('0x385')
  })

  it.each([
    ['dev.localhost', '0x7a69'],
    ['rollup-dev.localhost', '0x385'],
    ['localhost', '0x7a69'],
  ])('serves the network of the host %s', async (host, chainId) => {
    const { status, body } = await post(l1, { host: `${host}:8545` })
    expect({ status, result: (JSON.parse(body) as { result: unknown }).result }).toEqual({
      status: 200,
      result: chainId,
    })
  })

  it('takes the key alone and with its secret, and refuses another secret and another key', async () => {
    const basic = (password: string): Record<string, string> => ({
      authorization: `Basic ${Buffer.from(`:${password}`).toString('base64')}`,
    })
    expect((await post(l1, basic(secret))).status).toBe(200)
    expect((await post(l1, basic('wrong'))).status).toBe(401)
    expect((await post(`${ready.rpc}/v3/${secret}`, {})).status).toBe(401)
    expect((await post(`${ready.rpc}/v3/`, {})).status).toBe(401)
  })

  it('answers rollup_getInfo from both live chains', async () => {
    const before = (await call(l2, 'rollup_getInfo')) as RollupInfo
    await call(l1, 'evm_mine')
    await call(l2, 'evm_mine')
    await call(l2, 'evm_mine')
    const after = (await call(l2, 'rollup_getInfo')) as RollupInfo
    expect(after.mode).toBe('sequencer')
    expect(after.ethContext.blockNumber).toBe(before.ethContext.blockNumber + 1)
    expect(after.rollupContext.index).toBe(before.rollupContext.index + 2)
  })

  it('pushes new heads over WebSocket', async () => {
    await using client = createClient({ url: ready.rpc, apiKey: key, apiKeySecret: secret, network: 'rollup-dev' })
    const heads: unknown[] = []
    await client.subscribe(['newHeads'], { onEvent: (head) => heads.push(head) })
    await call(l2, 'evm_mine')
    const number = await call(l2, 'eth_blockNumber')
    expect(await within(40_000, () => heads.length > 0)).toBe(true)
    expect(heads[0]).toMatchObject({ number })
  })

  it('says why it has no Starknet network to who asks for it, by path and by host', async () => {
    const why = 'unknown network "starknet-dev": no starknet-devnet is on the PATH; install one'
    for (const [url, host] of [
      [`${ready.rpc}/starknet-dev/v3/${key}`, 'localhost'],
      [`${ready.rpc}/v3/${key}/rpc/v0_8`, 'starknet-dev.localhost'],
    ] as const) {
      const { status, body } = await post(url, { host })
      expect(status).toBe(404)
      expect((JSON.parse(body) as { error: unknown }).error).toMatchObject({
        code: -32002,
        message: expect.stringContaining(why),
      })
    }
  })

  it('denies no method: the node itself answers', async () => {
    await expect(call(l1, 'personal_listAccounts')).rejects.toThrow('Method not found')
  })

  it('tells that it is ready and serves metrics', async () => {
    const readiness = await fetch(`${ready.rpc}/readyz`)
    expect({ status: readiness.status, text: await readiness.text() }).toEqual({
      status: 200,
      text: 'dev: ok\nrollup-dev: ok\nipfs: ok\nstore: ok\n',
    })
    expect(await (await fetch(`${ready.admin}/metrics`)).text()).toContain('wayleave_answers_total')
  })

  it.each(['--port', '--ipfs-port', '--admin-port'])(
    'says in one sentence that the port of %s is in use',
    async (flag) => {
      const url = { '--port': ready.rpc, '--ipfs-port': ready.ipfs }[flag] ?? ready.admin
      const { port } = new URL(url)
      const second = await folder()
      const { code, stdout, stderr } = await runWayleave([...devArgs(second), flag, port])
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toBe(
        `wayleave dev: port ${port} of 127.0.0.1 is in use: ` +
          `stop what listens there, or choose another with ${flag} (0 takes any free one)\n`,
      )
      expect(await processesWith(second)).toEqual([])
    },
  )

  it.each([
    ['--host', '0.0.0.0', 'loopback'],
    ['--host', '::', 'loopback'],
    ['--host', '192.0.2.1', 'loopback'],
    ['--host', '127.evil.example', 'loopback'],
    ['--host', '127.0.0.256', 'loopback'],
    ['--port', '65536', '0 to 65535'],
    ['--port', '-1', '--port: expected a value; write one that begins with - as --port=-…'],
    ['--ipfs-port', '5001x', '0 to 65535'],
    ['--admin-port', '1e3', '0 to 65535'],
    ['--port', '', '0 to 65535'],
    ['--data-dir', '', 'folder'],
    ['--data-dir', process.execPath, 'folder'],
    ['--starknet-url', 'wss://node/v3/S3CR3T', 'an http or https URL, got a wss: one'],
    ['--starknet-url', 'S3CR3T', 'an http or https URL, got none'],
    ['--starknet-url', 'http://S3CR3T:S3CR3T@127.0.0.1:1', 'URL without user and password'],
    ['--starknet-url', 'http://127.0.0.1:1', 'the URL of a Starknet node, got none: '],
    ['--nonsense', '', 'there is no flag --nonsense'],
    ['further', '', 'unexpected argument "further"'],
  ])('refuses %s %j with exit code 2', async (flag, value, words) => {
    const args = devArgs(dataDir).filter((arg) => arg !== '--json')
    const { code, stdout, stderr } = await runWayleave([...args, flag, value])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(words)
    expect(stderr).not.toContain('S3CR3T')
    expect(stderr).toMatch(/^wayleave dev: [\s\S]+\nwayleave dev --help tells more\.\n$/)
  })
})

interface RollupInfo {
  readonly mode: string
  readonly ethContext: { readonly blockNumber: number }
  readonly rollupContext: { readonly index: number }
}
