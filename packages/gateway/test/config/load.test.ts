import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError, loadConfig } from '@wayleave/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const expected = {
  networks: { mainnet: { kind: 'evm', chainId: 1, upstreams: ['https://node/k3y'] } },
  projects: [{ name: 'demo', keys: [{ key: 'the-key', secret: 'the-secret' }] }],
}
const env = { NODE_KEY: 'k3y', DEMO_KEY: 'the-key', DEMO_SECRET: 'the-secret', NESTED: '${NODE_KEY}' }
const json = JSON.stringify(expected)
  .replace('k3y', '${NODE_KEY}')
  .replace('the-key', '${DEMO_KEY}')
  .replace('the-secret', '${DEMO_SECRET}')
const yaml = [
  'networks:',
  '  mainnet:',
  '    kind: evm',
  '    chainId: 1',
  '    upstreams: ["https://node/${NODE_KEY}"]',
  'projects:',
  '  - name: demo',
  '    keys: [{ key: "${DEMO_KEY}", secret: "${DEMO_SECRET}" }]',
].join('\n')

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wayleave-config-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function load(name: string, text: string): Promise<unknown> {
  const file = join(folder, name)
  await writeFile(file, text)
  return loadConfig(file, env)
}

async function refusalOf(name: string, text: string): Promise<string> {
  const outcome: unknown = await load(name, text).catch((thrown: unknown) => thrown)
  expect(outcome).toBeInstanceOf(ConfigError)
  return (outcome as Error).message
}

describe('a file', () => {
  it.each([
    ['a.json', json],
    ['a.yaml', yaml],
    ['a.yml', yaml],
    ['bom.json', `\uFEFF${json}`],
    ['bom.yaml', `\uFEFF${yaml}`],
    [
      'merged.yaml',
      `x-evm: &evm { kind: evm, chainId: 7, upstreams: ['\${UNSET}'] }\n${yaml.replace('kind: evm', '<<: *evm')}`,
    ],
    ['noted.json', json.replace('{', '{"x-note": {"any": "${UNSET}"},')],
    ['a.ts', `import type {} from 'node:fs'\nconst config: object = ${json}\nexport default config`],
    ['a.mjs', `export default ${json}`],
  ])('%s is read, with its variables replaced', async (name, text) => {
    expect(await load(name, text)).toEqual(expected)
  })

  it('that is no UTF-8 is refused in words that say so', async () => {
    const file = join(folder, 'utf16.json')
    await writeFile(file, Buffer.from(`\uFEFF${json}`, 'utf16le'))
    await expect(loadConfig(file, env)).rejects.toThrow(
      `${file}: expected a text in UTF-8, got other bytes; save it as UTF-8`,
    )
  })

  it('has the place of a merged member that is wrong where the merge stands', async () => {
    const text = `x-evm: &evm { kind: evn, chainId: 1 }\n${yaml.replace('kind: evm', '<<: *evm')}`
    expect(await refusalOf('odd.yaml', text)).toMatch(/odd\.yaml:3:3: networks\.mainnet\.kind: expected "evm"/)
  })

  it('may use defineConfig', async () => {
    const source = new URL('../../src/index.ts', import.meta.url).href
    expect(
      await load('b.ts', `import { defineConfig } from '${source}'\nexport default defineConfig(${json})`),
    ).toEqual(expected)
  })

  it('that is absent is named, with the reason', async () => {
    const file = join(folder, 'absent.yaml')
    await expect(loadConfig(file, env)).rejects.toThrow(`${file}: expected a file that can be read, got ENOENT`)
  })

  it('of another kind is refused', async () => {
    expect(await refusalOf('a.toml', '')).toMatch(
      /a\.toml: expected a \.ts, \.js, \.yaml or \.json file, got another one$/,
    )
  })

  it('without a default export is no configuration', async () => {
    expect(await refusalOf('c.mjs', 'export const config = {}')).toMatch(
      /c\.mjs: expected a configuration object, got nothing$/,
    )
  })

  it('that is not as expected is named before the place', async () => {
    expect(await refusalOf('d.json', '{"networks":{}}')).toMatch(
      /d\.json:1:2: networks: expected at least one network, got none$/,
    )
  })
})

describe('a file with a mistake is refused', () => {
  it.each([
    ['e.json', '{"networks": {"secret": S3CR3T}}'],
    ['f.json', '{"networks": "S3CR3T'],
    ['g.json', '{"token": "S3CR3T" "S3CR3T"}'],
    ['h.json', 'S3CR3T'],
    ['i.yaml', 'a: b: S3CR3T'],
    ['j.yaml', 'token: "S3CR3T'],
    ['k.yaml', 'token: *S3CR3T'],
    ['k2.yaml', 'networks: { a: [ !S3CR3T 1, &S3CR3T } ]'],
    ['l.yaml', '- S3CR3T\nb: c'],
    ['m.yaml', 'admin: { S3CR3T: 1, S3CR3T: 2 }'],
    ['n.mjs', 'export default { token: "S3CR3T" "S3CR3T" }'],
  ])('%s, without a piece of its text', async (name, text) => {
    const refusal = await refusalOf(name, text)
    expect(refusal).toMatch(new RegExp(`${name}(:\\d+:\\d+)?: (?:admin: )?expected .*, got .*$`))
    expect(refusal).not.toContain('S3CR3T')
    expect(refusal).not.toContain('\n')
  })

  it('with the place, where JSON is broken', async () => {
    expect(await refusalOf('o.json', '{"a": 1,\n "b" 2}')).toMatch(
      /o\.json:2:6: expected JSON, got something out of place$/,
    )
  })
})

describe('a variable', () => {
  it('that is not set is named, with its place and without any value', async () => {
    expect(await refusalOf('p.json', json.replace('DEMO_SECRET', 'MISSING'))).toMatch(
      /p\.json:1:\d+: projects\[0\]\.keys\[0\]\.secret: expected the environment variable MISSING to be set, got nothing$/,
    )
  })

  it('is not looked for in the value of another', async () => {
    expect(await load('q.json', json.replace('NODE_KEY', 'NESTED'))).toMatchObject({
      networks: { mainnet: { upstreams: ['https://node/${NODE_KEY}'] } },
    })
  })

  it('is only what stands in ${}', async () => {
    expect(
      await load(
        'r.json',
        json.replace('${NODE_KEY}', () => '$NODE_KEY $$ {NODE_KEY}'),
      ),
    ).toMatchObject({
      networks: { mainnet: { upstreams: ['https://node/$NODE_KEY $$ {NODE_KEY}'] } },
    })
  })

  it.each(['${ }', '${}', '${DEMO_SECRET:-S3CR3T}', '${DEMO-SECRET}', '${DEMO_SECRET', '${1}'])(
    'is not what %s stands for, which is no text either',
    async (text) => {
      const refusal = await refusalOf(
        's.json',
        json.replace('${DEMO_SECRET}', () => text),
      )
      expect(refusal).toMatch(
        /s\.json:1:\d+: projects\[0\]\.keys\[0\]\.secret: expected \$\{NAME\}, of letters, digits and _, or \$\{file:PATH\}, got something else in its place$/,
      )
      expect(refusal).not.toContain('S3CR3T')
    },
  )
})
