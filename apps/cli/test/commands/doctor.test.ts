import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startGateway } from '../accounts/helpers.ts'
import { serveTraits } from '../doctor/nodes.ts'
import { folder, runWayleave } from '../helpers.ts'

it('prints a line for each finding, a second one with what to do, and a sum', async () => {
  const file = join(await folder(), 'wayleave.json')
  await writeFile(file, '{"networks":{"main":{"kind":"evn","upstreams":["http://127.0.0.1:1"]}}}')
  const { code, stdout, stderr } = await runWayleave(['doctor', '--config', file])
  expect(code).toBe(1)
  expect(stdout).toMatch(
    /^fail {2}\S+wayleave\.json:1 networks\.main\.kind: expected .*, got "evn"\n {6}do: .*wayleave config check \S+ lists all\nok {4}versions: wayleave \S+, Node 24\.\S+\n$/,
  )
  expect(stderr).toBe('1 ok, 1 failure\n')
})

it('shows on a terminal which checks are open', async () => {
  const file = join(await folder(), 'wayleave.json')
  const config = {
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    networks: { main: { kind: 'evm', chainId: 7, upstreams: [await serveTraits()] } },
  }
  await writeFile(file, JSON.stringify(config))
  const { stdout, stderr } = await runWayleave(['doctor', '--config', file], {}, '', true)
  expect(stdout).toMatch(
    /ok {4}upstream main\/upstream-1 \(http:\/\/127\.0\.0\.1:\d+\): chain 7, block 1000, WebSocket\n/,
  )
  const reported = stderr.replaceAll('\u001B', '^')
  expect(reported).toMatch(/^\r\^\[K0 of \d+ checked, 0 s; open: listeners, network main,/)
  expect(reported).toMatch(/\r\^\[K\d+ ok(?:, \d+ warnings?)?\n$/)
})

it('takes nodes instead of a file', { timeout: 30_000 }, async () => {
  const { url } = await serveTraits({ chain: '0x1' })
  const { stdout } = await runWayleave(['doctor', '--upstream', url, '--upstream', 'http://127.0.0.1:1', '--json'])
  const { findings } = JSON.parse(stdout) as { findings: readonly { code: string; subject: string }[] }
  expect(findings.map(({ code, subject }) => `${code} ${subject.replace(/ \(.*/, '')}`)).toEqual(
    expect.arrayContaining([
      'upstream_unreachable upstream http://127.0.0.1:1',
      'upstream upstream mainnet/upstream-1',
    ]),
  )
  expect(stdout).not.toContain('sk-secret')
})

it('knows a gateway that is running, and reads its store beside it', { timeout: 30_000 }, async () => {
  const gateway = await startGateway()
  try {
    const { readFile } = await import('node:fs/promises')
    const config = JSON.parse(await readFile(gateway.configFile, 'utf8')) as { listen: object }
    config.listen = { rpc: new URL(gateway.rpc).host, admin: new URL(gateway.admin).host }
    await writeFile(gateway.configFile, JSON.stringify(config))
    const { stdout } = await runWayleave(['doctor', '--config', gateway.configFile, '--json'])
    const { findings } = JSON.parse(stdout) as { findings: readonly { code: string; text: string }[] }
    const running = findings.filter(({ code }) => code === 'gateway_running')
    expect(running.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^a gateway is running there \(node main\.[jt]s, process \d+\)$/),
      expect.stringMatching(/^a gateway is running there/),
    ])
    expect(findings).toContainEqual(expect.objectContaining({ code: 'store', level: 'ok' }))
    expect(await gateway.call('0123456789abcdef0123456789abcdef', 'eth_chainId')).toBe(200)
  } finally {
    await gateway.stop()
  }
})

it('tells wrong use', async () => {
  expect(await runWayleave(['doctor', '--config', 'a', '--upstream', 'http://b'])).toMatchObject({ code: 2 })
  expect(await runWayleave(['doctor', '--upstream', 'ftp://b'])).toMatchObject({ code: 2 })
  expect(await runWayleave(['doctor', 'more'])).toMatchObject({ code: 2 })
})
