import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type ConfigReport, fileFingerprint, inspectConfig, loadConfig, printProblem } from '@wayleave/gateway'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wayleave-secrets-'))
  await mkdir(join(folder, 'secrets'))
  await writeFile(join(folder, 'secrets/key'), 'S3CR3T\n')
})
afterAll(() => rm(folder, { recursive: true }))

async function inspect(upstream: string, env = {}): Promise<ConfigReport> {
  const file = join(folder, 'config.yaml')
  await writeFile(file, `networks:\n  one:\n    kind: evm\n    chainId: 1\n    upstreams:\n      - '${upstream}'\n`)
  return inspectConfig(file, env)
}

async function put(name: string, content: string | Uint8Array): Promise<string> {
  await writeFile(join(folder, name), content)
  return name
}

describe('${file:PATH}', () => {
  it('is the text of a file beside the configuration, without the line break at its end', async () => {
    const { config, files } = await inspect('https://node/${file:secrets/key}/${MORE}', { MORE: 'more' })
    expect(config!.networks['one']!.upstreams).toEqual(['https://node/S3CR3T/more'])
    expect([...files.keys()]).toEqual([join(folder, 'config.yaml'), join(folder, 'secrets/key')])
  })

  it.each([
    ['one\n\n', 'one\n'],
    ['one\r\n', 'one'],
    [' one ', ' one '],
    ['${HOME}', '${HOME}'],
  ])('of %j is %j: only one line break is cut off, and nothing in it is replaced', async (content, text) => {
    await put('text', content)
    const file = join(folder, 'text.json')
    await writeFile(
      file,
      JSON.stringify({
        networks: { a: { kind: 'evm', chainId: 1, upstreams: [{ url: 'http://a', headers: { a: '${file:text}' } }] } },
      }),
    )
    const report = await inspectConfig(file, {})
    const reported = JSON.stringify(report.config ?? report.problems)
    expect(reported).toContain(text.includes('\n') ? 'printable latin letters' : JSON.stringify(text))
  })

  it('may be absolute', async () => {
    const { config } = await inspect(`https://node/\${file:${join(folder, 'secrets/key')}}`)
    expect(config!.networks['one']!.upstreams).toEqual(['https://node/S3CR3T'])
  })

  it.each<readonly [string, () => Promise<string> | string, string]>([
    ['that is absent', () => 'absent', 'ENOENT'],
    ['that is a directory', () => 'secrets', 'a directory'],
    ['that is empty', () => put('empty', '\n'), 'an empty one'],
    ['that is too long', () => put('long', 'S3CR3T'.repeat(20_000)), 'a longer one'],
    ['that is a device', () => '/dev/null', 'something else'],
  ])('%s is a problem with its place', async (_, make, got) => {
    const name = await make()
    const { problems, files } = await inspect(`https://node/\${file:${name}}`)
    expect(problems.map((problem) => printProblem(problem))).toEqual([
      `networks.one.upstreams[0]: expected ${name} to be a file of 1 to 65536 bytes that can be read, got ${got}`,
    ])
    expect(problems[0]).toMatchObject({ line: 6, column: 9 })
    expect(files.has(resolve(folder, name))).toBe(true)
  })

  it('that is no text is a problem that shows none of it', async () => {
    const { problems } = await inspect(
      `https://node/\${file:${await put('bytes', Buffer.from('S3CR3T\xff', 'latin1'))}}`,
    )
    expect(problems.map((problem) => printProblem(problem))).toEqual([
      'networks.one.upstreams[0]: expected bytes to be text in UTF-8, got other bytes',
    ])
  })

  it.runIf(process.getuid?.() !== 0)('that may not be read is a problem', async () => {
    await chmod(join(folder, await put('closed', 'S3CR3T')), 0)
    const { problems } = await inspect('https://node/${file:closed}')
    expect(problems[0]!.got).toBe('EACCES')
  })

  it.each(['${file:}', '${file:a', '${file}', '${files:a}'])('%s is refused', async (text) => {
    const { problems } = await inspect(`https://node/${text}`, { file: 'b' })
    if (text === '${file}') expect(problems).toEqual([])
    else expect(problems[0]!.expected).toBe('${NAME}, of letters, digits and _, or ${file:PATH}')
  })

  it('is refused in more than a thousand files', async () => {
    const text = Array.from({ length: 1_001 }, (_, i) => `\${file:no-${i}}`).join('')
    const { problems } = await inspect(`https://node/${text}`)
    expect(problems.map(({ expected }) => expected)).toContain('at most 1000 files')
  })

  it.each<readonly [string, () => Promise<string> | string]>([
    ['that is too long', () => put('too-long', 'x'.repeat(65_537))],
    ...(process.platform === 'linux' ? [['whose size is told as 0', () => '/proc/version'] as const] : []),
  ])('%s has the fingerprint that a watcher of the file finds', async (_, make) => {
    const name = await make()
    const { files } = await inspect(`https://node/\${file:${name}}`)
    const at = resolve(folder, name)
    expect(files.get(at)).toMatch(/^[\da-f]{64}$/)
    expect(files.get(at)).toBe(await fileFingerprint(at))
  })

  it('gives other fingerprints once the content is another', async () => {
    const name = await put('rotated', 'one')
    const before = await inspect(`https://node/\${file:${name}}`)
    await put('rotated', 'two')
    const after = await inspect(`https://node/\${file:${name}}`)
    const at = join(folder, name)
    expect(after.files.get(at)).not.toBe(before.files.get(at))
    expect([...after.files.values()].join()).not.toContain('two')
  })
})

describe('a program', () => {
  it('whose members throw is a problem, and is followed', async () => {
    const text = 'export default { get networks() { throw new Error("no networks today\\n at a line") } }\n'
    const file = join(folder, await put('throwing.mjs', text))
    const { problems, files } = await inspectConfig(file, {})
    expect(problems).toEqual([{ path: '', expected: 'members that can be read', got: 'no networks today' }])
    expect([...files.keys()]).toEqual([file])
  })

  it('is given up after ten seconds, where it waits for what never comes', async () => {
    const file = join(folder, 'endless.mjs')
    await writeFile(file, 'await new Promise(() => {})\nexport default {}\n')
    const clock = new FakeClock()
    const reading = inspectConfig(file, {}, { clock })
    await expect.poll(() => clock.timers).toBe(1)
    clock.advance(10_000)
    const report = await reading
    expect(report.problems).toEqual([
      { path: '', expected: 'a program that ends within 10 s', got: 'one that still waits' },
    ])
  })

  it('is run anew for each generation, and else once', async () => {
    const file = join(folder, 'config.mjs')
    const text = (id: number): string =>
      `export default { networks: { one: { kind: 'evm', chainId: ${id}, upstreams: ['http://127.0.0.1:9'] } } }`
    await writeFile(file, text(1))
    const chain = async (generation?: number): Promise<unknown> =>
      (await inspectConfig(file, {}, { generation })).config!.networks['one']!.chainId
    expect(await chain()).toBe(1)
    await writeFile(file, text(2))
    expect([await chain(), await chain(1)]).toEqual([1, 2])
    expect(await loadConfig(file, {})).toMatchObject({ networks: { one: { chainId: 1 } } })
  })
})
