import { readFile, stat, writeFile } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { inspectConfig } from '@wayleave/gateway'
import { describe, expect, it } from 'vitest'
import { folder, type Run, runProcess, runWayleave, serveNode } from '../helpers.ts'

const node = (chainId: string): Promise<{ url: string }> =>
  serveNode(({ method }) => (method === 'eth_chainId' ? chainId : { code: -32601, message: 'no such method' }))
const init = (...args: string[]): Promise<Run> => runWayleave(['config', 'init', ...args])

describe('wayleave config init', () => {
  it.each(['yaml', 'yml', 'ts', 'json'])(
    'writes a .%s file that can be served, and prints its key once',
    async (kind) => {
      const path = join(await folder(), `own.${kind}`)
      const { url } = await node('0x2105')
      const { code, stdout, stderr } = await init('--upstream', url, '--config', path)
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: `base-mainnet: chain 8453\n${path} is written, with the hash of the key above, which nothing prints again; serve it by: wayleave serve --config ${path}\n`,
      })
      expect(stdout).toMatch(/^wl_[0-9A-Za-z]{28}\n$/)
      expect((await stat(path)).mode & 0o777).toBe(0o600)
      const text = await readFile(path, 'utf8')
      expect(text).not.toContain(stdout.trim())
      const keyHash = `sha256:${createHash('sha256').update(stdout.trim()).digest('hex')}`
      const config = {
        listen: { rpc: '127.0.0.1:8645', admin: '127.0.0.1:8646' },
        dataDir: '.wayleave/gateway',
        networks: { 'base-mainnet': { kind: 'evm', chainId: 8453, upstreams: [url] } },
        projects: [{ name: 'home', keys: [{ keyHash }] }],
      }
      // TypeScript as Node alone reads it.
      if (kind === 'ts') expect(await runProcess(['config', 'check', path])).toMatchObject({ code: 0 })
      else expect(await inspectConfig(path, {})).toMatchObject({ problems: [], config })
    },
  )

  it('has comments, and a first line by which editors find its schema', async () => {
    const path = join(await folder(), 'wayleave.config.yaml')
    await init('--upstream', (await node('0x1')).url, '--config', path)
    const lines = (await readFile(path, 'utf8')).split('\n')
    const [, address] = /^# yaml-language-server: \$schema=(file:\/\/.*\/config\.schema\.json)$/.exec(lines[0]!)!
    expect(JSON.parse(await readFile(new URL(address!), 'utf8'))).toMatchObject({ title: 'Wayleave configuration' })
    expect(lines.filter((line) => line.startsWith('#'))).toHaveLength(6)
    expect(lines).toContain('  mainnet:')
  })

  it('makes a network of each chain, and leaves the chain of a node that does not answer to wayleave serve', async () => {
    const path = join(await folder(), 'a.json')
    const [one, two] = [await node('0x1'), await node('0xa')]
    const { stderr, stdout } = await init(
      '--upstream',
      one.url,
      '--upstream',
      two.url,
      '--upstream',
      `${one.url}/second`,
      '--config',
      path,
      '--json',
    )
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toMatchObject({
      file: path,
      key: expect.stringMatching(/^wl_/),
      networks: [
        { name: 'mainnet', kind: 'evm', chainId: 1 },
        { name: 'optimism-mainnet', kind: 'evm', chainId: 10 },
      ],
    })
    expect((await inspectConfig(path, {})).config?.networks['mainnet']?.upstreams).toHaveLength(2)
    const lone = join(await folder(), 'b.yaml')
    expect((await init('--upstream', 'http://127.0.0.1:9/S3CR3T', '--config', lone)).stderr).toMatch(
      /^http:\/\/127\.0\.0\.1:9: nothing listens there \(ECONNREFUSED\); wayleave serve will ask it for its chain\n\S+b\.yaml is written, /,
    )
    expect(await inspectConfig(lone, {})).toMatchObject({
      problems: [],
      config: { networks: { node: { kind: 'evm', upstreams: ['http://127.0.0.1:9/S3CR3T'] } } },
    })
  })

  it('never overwrites a file', async () => {
    const path = join(await folder(), 'wayleave.config.yaml')
    await writeFile(path, 'mine')
    const { code, stdout, stderr } = await init('--upstream', 'http://127.0.0.1:9', '--config', path)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toBe(
      `wayleave config: init: ${path} is there already, and is left as it is: name another file with --config FILE\nwayleave config init --help tells more.\n`,
    )
    expect(await readFile(path, 'utf8')).toBe('mine')
  })

  it.each([
    [
      ['--upstream', 'localhost:8545'],
      '--upstream: expected an http, https, ws or wss URL; is it http://localhost:8545?',
    ],
    [['--upstream', 'ftp://S3CR3T'], '--upstream: expected an http, https, ws or wss URL\n'],
    [['--format', 'toml'], '--format: expected yaml, ts or json, got "toml"'],
    [['--config', 'a.toml'], '--config: expected the name of a .yaml, .ts or .json file'],
    [['--config', 'a.json', '--format', 'ts'], '--format ts and --config differ: give one'],
    [
      ['--config', '/does/not/exist/a.yaml', '--upstream', 'http://127.0.0.1:9'],
      '/does/not/exist/a.yaml cannot be written (ENOENT)',
    ],
    [['--upstream', 'http://127.0.0.1:8645'], 'listen.rpc is 127.0.0.1:8645 itself, so give it another port'],
  ])('refuses %j with exit code 2', async (args, words) => {
    const { code, stdout, stderr } = await init(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(words)
    expect(stderr).not.toContain('S3CR3T')
  })
})

describe('wayleave config schema', () => {
  it('prints the JSON Schema', async () => {
    const { code, stdout, stderr } = await runWayleave(['config', 'schema'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({ $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' })
  })
})
