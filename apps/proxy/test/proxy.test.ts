import { EventEmitter, once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ProxyOptions, runProxy } from '../src/index.ts'

const local = { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' }
const networks = {
  one: { kind: 'evm', chainId: 1, upstreams: ['http://127.0.0.1:9'] },
  'the-second': { kind: 'evm', chainId: 12345, upstreams: ['http://127.0.0.1:9'] },
}

async function configFile(config: object): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-proxy-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'config.json')
  await writeFile(path, JSON.stringify(config))
  return path
}

interface Run {
  readonly events: EventEmitter
  readonly code: Promise<number>
  readonly stdout: () => string
  readonly stderr: () => string
}

function run(options: Pick<ProxyOptions, 'configFile' | 'json'> & { env?: Record<string, string> }): Run {
  const events = new EventEmitter()
  let stdout = ''
  let stderr = ''
  const code = runProxy({
    env: {},
    ...options,
    events,
    stdout: (text) => (stdout += text),
    stderr: (text) => (stderr += text),
  })
  return { events, code, stdout: () => stdout, stderr: () => stderr }
}

describe('runProxy', () => {
  it('prints one ready line, serves until a signal, and gives 0', async () => {
    const { events, code, stdout, stderr } = run({
      configFile: await configFile({ listen: local, networks }),
      json: true,
    })
    await expect.poll(stdout).toMatch(/\n$/)
    const { rpc, ws, admin } = JSON.parse(stdout()) as Record<string, string>
    expect(stdout()).toBe(
      `{"event":"ready","rpc":"${rpc}","ws":"${ws}","gas":"${rpc}","admin":"${admin}","networks":{"one":1,"the-second":12345}}\n`,
    )
    expect((await fetch(`${rpc}/healthz`)).status).toBe(200)
    events.emit('SIGTERM')
    expect(await code).toBe(0)
    await expect(fetch(`${rpc}/healthz`)).rejects.toThrow('fetch failed')
    expect(stderr()).toBe('')
  })

  it('listens for SIGHUP from the beginning to the end', async () => {
    const { events, code, stdout } = run({ configFile: await configFile({ listen: local, networks }), json: true })
    expect(events.listenerCount('SIGHUP')).toBe(1)
    events.emit('SIGHUP')
    await expect.poll(stdout).toMatch(/\n$/)
    events.emit('SIGHUP')
    const { rpc } = JSON.parse(stdout()) as Record<string, string>
    expect((await fetch(`${rpc}/healthz`)).status).toBe(200)
    events.emit('SIGTERM')
    expect(await code).toBe(0)
    expect(events.eventNames()).toEqual([])
  })

  it('tells a person which chain the nodes told, and where it is kept', async () => {
    const node = createServer((_request, response) => response.end('{"jsonrpc":"2.0","id":1,"result":"0x7"}'))
    node.listen(0, '127.0.0.1')
    await once(node, 'listening')
    onTestFinished(() => void node.close())
    const upstreams = [`http://127.0.0.1:${(node.address() as AddressInfo).port}`]
    const dataDir = await mkdtemp(join(tmpdir(), 'wayleave-proxy-test-'))
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
    const file = await configFile({ listen: local, dataDir, networks: { home: { kind: 'evm', upstreams } } })
    for (const reported of [
      `home: its nodes told the chain, which ${join(dataDir, 'chains.json')} keeps; nodes of another one are left alone`,
      `home: the chain is the one that ${join(dataDir, 'chains.json')} keeps`,
    ]) {
      const { events, code, stdout } = run({ configFile: file, json: false })
      await expect.poll(stdout).toMatch(/\n$/)
      events.emit('SIGINT')
      expect(await code).toBe(0)
      expect(stdout()).toMatch(/^ {2}home +chain 7 /m)
      expect(stdout().split('\n')).toContain(reported)
    }
  })

  it('tells a person where each network is, in columns', async () => {
    const file = await configFile({ listen: local, networks })
    const { events, code, stdout } = run({ configFile: file, json: false })
    await expect.poll(stdout).toMatch(/\n$/)
    events.emit('SIGINT')
    expect(await code).toBe(0)
    expect(stdout().replaceAll(/127\.0\.0\.1:\d+/g, 'host:1')).toBe(`wayleave serves ${file}

  one         chain 1      http://host:1/one/v3/<key>
  the-second  chain 12345  http://host:1/the-second/v3/<key>
  metrics                  http://host:1/metrics

without redis, several processes would each have their own: heads and nonces told, cordons, limits, filters, upstream budgets
`)
  })

  it('gives 2 for a configuration that cannot be used, with one sentence', async () => {
    const file = await configFile({ listen: local, networks: { one: { ...networks.one, kind: 'bitcoin' } } })
    const { code, stdout, stderr } = run({ configFile: file, json: true })
    expect(await code).toBe(2)
    expect(stdout()).toBe('')
    expect(stderr()).toMatch(new RegExp(`^${file}:1:\\d+: networks\\.one\\.kind: expected .*, got "bitcoin"\\n$`))
  })

  it('gives 2 for keys that cannot be told apart, and does not print them', async () => {
    const projects = [
      { name: 'first', keys: [{ key: '${KEY}' }] },
      { name: 'second', keys: [{ key: '${KEY}' }] },
    ]
    const file = await configFile({ listen: local, networks, projects })
    const { code, stderr } = run({ configFile: file, json: true, env: { KEY: 'a-key-of-two-projects' } })
    expect(await code).toBe(2)
    expect(stderr()).toMatch(
      new RegExp(
        `^${file}:1:\\d+: projects\\[1\\]\\.keys\\[0\\]\\.key: expected a key that stands once, got a repetition of .*\\n$`,
      ),
    )
  })

  it('gives 1 for a port in use, with one sentence', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const { code, stdout, stderr } = run({
      configFile: await configFile({ listen: { ...local, rpc: address }, networks }),
      json: true,
    })
    expect(await code).toBe(1)
    expect(stdout()).toBe('')
    expect(stderr()).toMatch(new RegExp(`^JSON-RPC cannot listen on ${address}: the port is in use.*\\n$`))
  })
})
