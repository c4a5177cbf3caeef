import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig, type RunningGateway, startGateway } from '@wayleave/gateway'
import { describe, expect, it, onTestFinished } from 'vitest'
import { refuseConfig } from './support/proxy-process.ts'
import { secretsIn } from './support/secret-forms.ts'

describe('a configuration that cannot be used', () => {
  const secrets = {
    key: '1f0e2d3c4b5a69788796a5b4c3d2e1f0',
    secret: 'q8x-kept-in-the-file-77',
    url: 'tok7-in-the-url-88',
    admin: 'adm5-in-the-file-99',
  }
  const right = {
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    networks: { net: { kind: 'evm', chainId: 1, upstreams: [`http://x:${secrets.url}@127.0.0.1:1/`] } },
    projects: [{ name: 'p', keys: [{ key: secrets.key, secret: secrets.secret }] }],
    admin: { token: secrets.admin },
  }
  const json = (change: object): string => JSON.stringify({ ...right, ...change })
  const project = (keys: unknown): object => ({ projects: [{ name: 'p', keys }] })
  const upstreams = (...list: unknown[]): object => ({
    networks: { net: { kind: 'evm', chainId: 1, upstreams: list } },
  })

  const cases = [
    ['a key that stands twice', 'c.json', json(project([{ key: secrets.key }, { key: secrets.key }]))],
    ['a key as a text', 'c.json', json(project([secrets.key]))],
    ['keys as a text', 'c.json', json(project(secrets.key))],
    ['projects as a text', 'c.json', json({ projects: secrets.key })],
    ['a key with a sign that keys have not', 'c.json', json(project([{ key: `${secrets.key}!` }]))],
    ['a secret with a line break', 'c.json', json(project([{ key: 'k', secret: `${secrets.secret}\n` }]))],
    ['a secret that is a number', 'c.json', json(project([{ key: 'k', secret: 5 }]))],
    ['a token as a text', 'c.json', json({ admin: secrets.admin })],
    ['a token that is too short', 'c.json', json({ admin: { token: secrets.admin.slice(0, 12) } })],
    ['an upstream of another protocol', 'c.json', json(upstreams(`ftp://x:${secrets.url}@host/`))],
    ['an upstream that is no URL', 'c.json', json(upstreams(`host/${secrets.url}`))],
    [
      'upstreams as a text',
      'c.json',
      json({ networks: { net: { kind: 'evm', chainId: 1, upstreams: `http://${secrets.url}/` } } }),
    ],
    ['a network as a text', 'c.json', json({ networks: { net: `http://${secrets.url}/` } })],
    ['networks as a text', 'c.json', json({ networks: `http://${secrets.url}/` })],
    [
      'a rollup node of another protocol',
      'c.json',
      json({ networks: { net: { ...right.networks.net, rollupNode: `ws://${secrets.url}/` } } }),
    ],
    ['a secret that is not quoted, in JSON', 'c.json', `{"projects":[{"keys":[{"secret": ${secrets.secret} }]}]}`],
    ['a comma that is missing, in JSON', 'c.json', `{"key": "${secrets.key}" "secret": "${secrets.secret}"}`],
    [
      'an alias that is not there, in YAML',
      'c.yaml',
      `projects:\n  - name: p\n    keys:\n      - secret: *${secrets.secret}\n`,
    ],
    ['a quote that is missing, in YAML', 'c.yaml', `admin:\n  token: "${secrets.admin}\nprojects: []\n`],
    ['a mapping within a line, in YAML', 'c.yaml', `admin: token: ${secrets.admin}: x\n`],
    ['a quote that is missing, in TypeScript', 'c.ts', `export default { admin: { token: "${secrets.admin} } }\n`],
  ] as const

  // Parsers quote a few characters of what they could not read.
  const begins = Object.entries(secrets).map(([name, secret]) => [`the begin of ${name}`, secret.slice(0, 8)] as const)
  const forbidden = { ...secrets, ...Object.fromEntries(begins) }

  it.each(cases)('is refused, and what is secret in it is not told: %s', async (_what, name, text) => {
    const folder = await mkdtemp(join(tmpdir(), 'conformance-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    await writeFile(join(folder, name), text)
    const start = async (): Promise<RunningGateway> => startGateway(await loadConfig(join(folder, name), {}))
    const thrown = await start().then(
      (gateway) => gateway.close().then(() => expect.unreachable('it was taken')),
      (why: Error) => why,
    )
    expect(secretsIn(thrown.message, forbidden)).toEqual([])
    // AuthError: what is well formed on its own, such as a key that stands twice.
    expect(['ConfigError', 'AuthError']).toContain(thrown.name)
  })

  it('ends the process with 2 and one line', async () => {
    for (const [, name, text] of [cases[0], cases.at(-1)!]) {
      const { code, written } = await refuseConfig(name, text)
      expect(secretsIn(written, forbidden)).toEqual([])
      expect([code, written.trimEnd().split('\n').length]).toEqual([2, 1])
    }
  })
})
