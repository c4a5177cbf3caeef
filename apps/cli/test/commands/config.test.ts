import { describe, expect, it } from 'vitest'
import { file, type Run, runWayleave } from '../helpers.ts'

const key = 'the-key-of-this-test'
const secret = 'the-secret-of-this-test'
const check = (...args: string[]): Promise<Run> => runWayleave(['config', 'check', ...args], { TEST_KEY: key })

const good = `networks:
  mainnet:
    kind: evm
    chainId: 1
    upstreams: [{ url: 'https://node.example.org/${secret}', ws: 'wss://node.example.org/${secret}' }]
projects:
  - name: demo
    keys: [{ key: '\${TEST_KEY}', secret: '${secret}' }]
`

describe('wayleave config check', () => {
  it('sums a right file up, without key, secret or path of a URL', async () => {
    const { code, stdout, stderr } = await check(await file('good.yaml', good))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('good.yaml can be served\n')
    expect(stdout).toContain('  mainnet  evm, chain 1: https://node.example.org, wss://node.example.org (default)\n')
    expect(stdout).toContain('  projects  demo (one key)\n')
    for (const word of [key, secret]) expect(stdout).not.toContain(word)
  })

  it('prints every problem with its line and column, and exits 2', async () => {
    const path = await file(
      'bad.yaml',
      good.replace('kind: evm', 'kind: bitcoin').replace('chainId: 1', 'chainId: "1"'),
    )
    const { code, stdout, stderr } = await check(path)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toBe(
      `${path}:3:11: networks.mainnet.kind: expected "evm", "rollup", "starknet" or "jsonrpc", got "bitcoin"\n` +
        `${path}:4:14: networks.mainnet.chainId: expected a chain id as a decimal number, got "1"; write it without quotes\n` +
        `${path}: 2 problems\n`,
    )
  })

  it('warns on stderr of what is hardly meant, and exits 0', async () => {
    const { code, stdout, stderr } = await check(await file('odd.yaml', good.replace('chainId: 1', 'chainId: 2')))
    expect(code).toBe(0)
    expect(stdout).toContain('can be served')
    expect(stderr).toMatch(/^warning: .*odd\.yaml:4:14: networks\.mainnet\.chainId: expected 1, .*, got 2\n$/)
  })

  it('--json is one line, right or wrong', async () => {
    const right = await check(await file('good.yaml', good), '--json')
    expect(JSON.parse(right.stdout)).toMatchObject({ ok: true, problems: [], summary: { defaultNetwork: 'mainnet' } })
    const wrong = await check(await file('bad.json', '{"networks":{}}'), '--json')
    expect(wrong).toMatchObject({ code: 2, stderr: '' })
    expect(JSON.parse(wrong.stdout)).toMatchObject({
      ok: false,
      problems: [{ path: 'networks', line: 1, column: 2, expected: 'at least one network', got: 'none' }],
    })
    expect(`${right.stdout}${wrong.stdout}`.match(/\n/g)).toHaveLength(2)
  })

  it.each([
    [['config'], 'wayleave config: expected init, check, diff, import or schema\n'],
    [['config', 'chekc', 'x'], 'expected init, check, diff, import or schema, got "chekc" (did you mean "check"?)'],
    [['config', 'check', 'a', 'b'], 'expected one FILE'],
    [['config', 'check', '/does/not/exist.yaml'], '/does/not/exist.yaml: expected a file that can be read, got ENOENT'],
  ])('refuses %j with exit code 2', async (args, words) => {
    const { code, stdout, stderr } = await runWayleave(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(words)
  })
})

describe('wayleave config diff', () => {
  const diff = (...args: string[]): Promise<Run> => runWayleave(['config', 'diff', ...args], { TEST_KEY: key })

  it('tells what a reload would do, without key, secret or URL, and exits 1', async () => {
    const other = good
      .replace('https://node.example.org', 'https://other.example.org')
      .replace('projects:', '  base: { kind: evm, chainId: 8453, upstreams: ["https://base.example.org"] }\nprojects:')
      .replace(
        "  - name: demo\n    keys: [{ key: '${TEST_KEY}', ",
        "  - name: new\n    keys: [{ key: 'another-key-of-this-test', ",
      )
    const { code, stdout, stderr } = await diff(await file('a.yaml', good), await file('b.yaml', other))
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout:
        '~ networks.mainnet.upstreams[0].url changes\n+ networks.base is added\n' +
        '- projects[0] is removed ("demo")\n+ projects[0] is added ("new")\n',
      stderr: '4 differences: a reload would take them\n',
    })
  })

  it('names what needs a restart', async () => {
    const files = [await file('a.yaml', good), await file('b.yaml', `${good}dataDir: ${secret}\nonlyLocal: true\n`)]
    const { code, stdout, stderr } = await diff(...files)
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '+ dataDir is added: needs a restart\n+ onlyLocal is set to true\n',
      stderr: '2 differences: a reload would be refused, as one needs a restart\n',
    })
    const { ok, needsRestart } = JSON.parse((await diff(...files, '--json')).stdout) as Record<string, unknown>
    const change = { path: 'dataDir', kind: 'added', text: 'dataDir is added' }
    expect({ ok, needsRestart }).toEqual({ ok: true, needsRestart: [change] })
  })

  it('exits 0 where there is none', async () => {
    const path = await file('a.yaml', good)
    expect(await diff(path, path)).toMatchObject({ code: 0, stdout: '' })
  })

  it('exits 2 where one cannot be served, and tells its problems', async () => {
    const [right, wrong] = [await file('a.yaml', good), await file('b.yaml', 'networks: {}')]
    const reported = `${wrong}:1:1: networks: expected at least one network, got none\n`
    expect(await diff(right, wrong)).toMatchObject({ code: 2, stdout: '', stderr: reported })
    expect(JSON.parse((await diff(right, wrong, '--json')).stdout)).toMatchObject({
      ok: false,
      problems: [{ file: wrong, path: 'networks', line: 1 }],
    })
  })

  it('wants two files', async () => {
    expect(await diff('a.yaml')).toMatchObject({ code: 2, stdout: '' })
    expect((await diff('a.yaml', 'b.yaml', '--quiet')).stderr).toContain('diff: there is no flag --quiet')
  })
})
