import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { file, folder, type Run, runProcess, runWayleave, serveHttp } from '../helpers.ts'
import {
  configuredKey,
  expiredToken,
  hashOf,
  makePlace,
  readerToken,
  type RunningGateway,
  startGateway,
  token,
} from './helpers.ts'

// Starts processes, which take seconds where the machine is busy.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

let gateway: RunningGateway

beforeAll(async () => {
  gateway = await startGateway()
  await runWayleave(['projects', 'create', 'shop'], gateway.env)
})
afterAll(() => gateway.stop())

/** The command in this process, asking the gateway. */
const ask = (args: readonly string[], env: Record<string, string> = {}, input = ''): Promise<Run> =>
  runWayleave(args, { ...gateway.env, ...env }, input)

describe('an error says what to do', () => {
  it.each<[string, readonly string[], Record<string, string>, number, string]>([
    [
      'a wrong token',
      ['keys', 'list'],
      { WAYLEAVE_ADMIN_TOKEN: 'wrong' },
      1,
      'wayleave keys list: this admin token is unknown; the token is that of $WAYLEAVE_ADMIN_TOKEN, --token-file or --token, and the configuration has it in admin.token or admin.tokens\n',
    ],
    [
      'an expired token',
      ['keys', 'list'],
      { WAYLEAVE_ADMIN_TOKEN: expiredToken },
      1,
      'wayleave keys list: the admin token "old" has expired: make a new one\n',
    ],
    [
      'a token without the scope',
      ['keys', 'create', 'shop'],
      { WAYLEAVE_ADMIN_TOKEN: readerToken },
      1,
      'wayleave keys create: the admin token "reader" needs the scope accounts; the configuration gives scopes in admin.tokens\n',
    ],
    [
      'no token',
      ['projects', 'list'],
      { WAYLEAVE_ADMIN_TOKEN: '' },
      2,
      'wayleave projects: list: expected an admin token, in $WAYLEAVE_ADMIN_TOKEN or by --token-file FILE; --config FILE and --store STORE open the store without one\nwayleave projects list --help tells more.\n',
    ],
    [
      'no gateway',
      ['usage'],
      { WAYLEAVE_ADMIN_URL: 'http://127.0.0.1:9' },
      1,
      'wayleave usage: http://127.0.0.1:9 gave no answer: is the admin listener there? --admin URL names that of a running gateway, and --config FILE opens its store without one\n',
    ],
    [
      'a key that is not there',
      ['keys', 'show', 'shop', 'none'],
      {},
      1,
      'wayleave keys show: there is no key "none" of project "shop"; wayleave keys list shows all\n',
    ],
    [
      'a project that is not there',
      ['keys', 'list', 'none'],
      {},
      1,
      'wayleave keys list: there is no project "none"; wayleave projects list shows all\n',
    ],
    [
      'a project of the configuration',
      ['keys', 'create', 'demo'],
      {},
      1,
      'wayleave keys create: project "demo" comes from the configuration: change it there\n',
    ],
    [
      'a missing argument',
      ['keys', 'show', 'shop'],
      {},
      2,
      'wayleave keys: show: expected PROJECT KEY, got one argument\nwayleave keys show --help tells more.\n',
    ],
    [
      'a mistyped subcommand',
      ['projects', 'lsit'],
      {},
      2,
      'wayleave projects: expected create, list, show, update, enable, disable, remove, add-jwt-key or remove-jwt-key, got "lsit" (did you mean "list"?)\nwayleave projects --help tells more.\n',
    ],
    [
      'a mistyped flag',
      ['keys', 'create', 'shop', '--lable', 'x'],
      {},
      2,
      'wayleave keys: create: there is no flag --lable (did you mean "--label"?)\nwayleave keys create --help tells more.\n',
    ],
    [
      'a mistyped member of --by',
      ['usage', '--by', 'methd'],
      {},
      2,
      'wayleave usage: --by: expected some of project, key, network, method, status, minute, hour, day, or none, got "methd" (did you mean "method"?)\nwayleave usage --help tells more.\n',
    ],
    [
      'a wrong value',
      ['plans', 'put', 'free', '--limits', '{"perDay":{"credits":-1}}'],
      {},
      2,
      'wayleave plans put: limits.perDay.credits: expected a whole number of credits from 0 to 1e12\n',
    ],
  ])('%s', async (_what, args, env, code, stderr) => {
    const ran = await ask(args, env)
    expect([ran.code, ran.stderr]).toEqual([code, stderr])
  })

  it('with --json on stdout', async () => {
    const { code, stdout, stderr } = await ask(['keys', 'show', 'shop', 'none', '--json'])
    expect([code, stderr]).toEqual([1, ''])
    expect(JSON.parse(stdout)).toEqual({
      error: { code: 'not_found', message: 'there is no key "none" of project "shop"; wayleave keys list shows all' },
    })
  })

  it('of a server that is no admin API', async () => {
    const { url } = await serveHttp((_request, response) => response.writeHead(404).end('nothing here'))
    const { code, stderr } = await ask(['keys', 'list'], { WAYLEAVE_ADMIN_URL: new URL(url).origin })
    expect([code, stderr]).toEqual([
      1,
      'wayleave keys list: expected an answer of the admin API, got HTTP status 404: check the URL; a gateway serves the admin API on listen.admin, if it has a store or dataDir, and admin.token or admin.tokens\n',
    ])
  })

  it('of stores that cannot be opened, without a password, and makes none by mistake', async () => {
    const path = `${await folder()}/nothing.sqlite`
    const absent = await runWayleave(['keys', 'list', '--store', path])
    expect([absent.code, absent.stderr]).toEqual([2, expect.stringContaining('expected an SQLite file that exists')])
    expect(existsSync(path)).toBe(false)
    const away = await runWayleave(['keys', 'list', '--store', 'postgres://me:pass-word@127.0.0.1:9/db'])
    expect(away.code).toBe(1)
    expect(away.stderr).toContain('127.0.0.1:9/db cannot be used')
    expect(away.stderr).not.toContain('pass-word')
    const other = await runWayleave(['keys', 'list', '--store', 'mysql://me:pass-word@127.0.0.1/db'])
    expect([other.code, other.stderr]).toEqual([2, expect.not.stringContaining('pass-word')])
    const config = await file('none.json', JSON.stringify({ networks: {} }))
    const keepsNothing = await runWayleave(['keys', 'list', '--config', config])
    expect(keepsNothing.code).toBe(2)
  })
})

it('plans of the configuration are listed and given with --config, and --store says where they are', async () => {
  const { configFile, database, remove } = await makePlace()
  onTestFinished(remove)
  const config = JSON.parse(await readFile(configFile, 'utf8')) as object
  await writeFile(configFile, JSON.stringify({ ...config, plans: { growth: { perDay: { credits: 1_000 } } } }))
  const run = (...args: readonly string[]): Promise<Run> => runWayleave(args)
  const listed = await run('plans', 'list', '--config', configFile)
  expect(listed.stdout).toBe('growth\tgrowth\t{"perDay":{"credits":1000}}\tconfig\n')
  const made = await run('projects', 'create', 'grown', '--plan', 'growth', '--config', configFile)
  expect(made.code).toBe(0)
  expect(await run('projects', 'create', 'other', '--plan', 'growth', '--store', database)).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'wayleave projects create: plan: there is no plan "growth": put it first; --config FILE in place of --store knows those of a configuration, too\n',
  })
  const renamed = await run('projects', 'update', 'grown', '--name', 'Grown', '--store', database)
  expect(renamed.code).toBe(0)
})

describe('the admin token', () => {
  it('comes from a file, or from stdin; on the command line it is warned of, and never printed', async () => {
    const env = { WAYLEAVE_ADMIN_TOKEN: '' }
    const fromFile = await ask(['plans', 'list', '--token-file', await file('token', `${token}\n`)], env)
    expect(fromFile).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await ask(['plans', 'list', '--token-file', '-'], env, `${token}\n`)).toEqual(fromFile)
    const { code, stdout, stderr } = await ask(['plans', 'list', '--token', token], env)
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toBe(
      '--token: all users of this machine can see it; $WAYLEAVE_ADMIN_TOKEN and --token-file keep it to you\n',
    )
  })
})

describe('keys', () => {
  it('are printed alone on stdout, once, and let callers in until they are revoked', async () => {
    const created = await gateway.run(['keys', 'create', 'shop', '--id', 'once', '--label', 'once'])
    expect(created.stdout).toMatch(/^wl_\w{28}\n$/)
    const key = created.stdout.trim()
    expect(created.stderr).toBe('created key once of project shop; nothing prints its text again\n')
    const call = (): Promise<number> => gateway.call(key, 'eth_chainId')
    await expect.poll(call, { timeout: 10_000 }).toBe(200)
    const rest = await Promise.all(
      [
        ['keys', 'list'],
        ['keys', 'list', '--json'],
        ['keys', 'show', 'shop', 'once'],
        ['audit', '--json'],
      ].map((args) => ask(args)),
    )
    for (const { code, stdout, stderr } of rest) expect([code, `${stdout}${stderr}`.includes(key)]).toEqual([0, false])
    expect(rest[0]!.stdout).toContain(`shop\tonce\t…${key.slice(-4)}\tonce\tactive\t-\t`)
    const refused = await gateway.run(['keys', 'revoke', 'shop', 'once'])
    expect([refused.code, refused.stdout, refused.stderr]).toEqual([
      2,
      '',
      `wayleave keys: revoke: expected --yes, since nobody can be asked here: Revoke key once (once, …${key.slice(-4)}) of project shop for good?\nwayleave keys revoke --help tells more.\n`,
    ])
    expect(await call()).toBe(200)
    expect((await gateway.run(['keys', 'revoke', 'shop', 'once', '--yes'])).code).toBe(0)
    await expect.poll(call, { timeout: 10_000 }).toBe(401)
  })

  it('of the store by --store reach the running gateway', async () => {
    const { stdout, code } = await runProcess(['keys', 'create', 'shop', '--store', gateway.database])
    expect(code).toBe(0)
    await expect.poll(() => gateway.call(stdout.trim(), 'eth_chainId'), { timeout: 10_000 }).toBe(200)
  })

  it('of elsewhere are all refused if one line is wrong, which is named by its number and never repeated', async () => {
    const good = 'cd'.repeat(16)
    const bad = 'too-short-a-key'
    const before = (await ask(['keys', 'list'])).stdout
    const lines = [`shop ${good}`, '', `shop ${bad}`, 'shop', `shop ${good}`, 'shop sha256:12'].join('\n')
    const { code, stdout, stderr } = await ask(['keys', 'import', await file('keys.txt', lines)])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr.split('\n').map((line) => /:(\d+): (\S+)/.exec(line)?.slice(1))).toEqual([
      undefined,
      ['3', 'expected'],
      ['4', 'expected'],
      ['5', 'the'],
      ['6', 'expected'],
      undefined,
      undefined,
    ])
    expect(stderr).not.toContain(bad)
    expect(stderr).not.toContain(good)
    const clash = await ask(
      ['keys', 'import', '-', '--project', 'shop'],
      {},
      `${good}\n# the next is of the file\n${configuredKey}`,
    )
    expect([clash.code, clash.stderr]).toEqual([
      1,
      'wayleave keys import: nothing was changed\n  -:3: the configuration has this key already, in project "demo": remove it there first, or use another key\n',
    ])
    const many = Array.from({ length: 1_001 }, (_, i) => `shop key-of-elsewhere-${i}`).join('\n')
    expect(await ask(['keys', 'import', '-'], {}, many)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('expected at most 1000 keys, got 1001; split it'),
    })
    expect((await ask(['keys', 'list'])).stdout).toBe(before)
  })

  it('hash: reads stdin or an argument, and warns of what is weak, misspelt or seen', async () => {
    expect(await ask(['keys', 'hash'], {}, `${configuredKey}\n`)).toEqual({
      code: 0,
      stdout: `${hashOf(configuredKey)}\n`,
      stderr: '',
    })
    const seen = await ask(['keys', 'hash', configuredKey])
    expect([seen.stdout, seen.stderr]).toEqual([`${hashOf(configuredKey)}\n`, expect.stringContaining('can see')])
    expect((await ask(['keys', 'hash'], {}, 'short')).stderr).toContain('can be guessed')
    expect((await ask(['keys', 'hash'], {}, `wl_${'a'.repeat(28)}`)).stderr).toContain('checksum')
    expect((await ask(['keys', 'hash', '--for', 'secret'], {}, 'a secret with spaces')).code).toBe(0)
    expect((await ask(['keys', 'hash'], {}, 'a key with spaces')).code).toBe(2)
    expect((await ask(['keys', 'hash'], {}, '')).code).toBe(2)
  })
})
