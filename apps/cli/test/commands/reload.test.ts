import { readFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { readerToken, type RunningGateway, startGateway, token } from '../accounts/helpers.ts'
import { type Run, runWayleave, serveHttp } from '../helpers.ts'

// Starts a process, which takes seconds where the machine is busy.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

interface File {
  onlyLocal?: boolean
  listen: { rpc: string; admin: string }
  networks: Record<string, { chainId: number | string }>
}

let gateway: RunningGateway
let before: string

beforeAll(async () => {
  gateway = await startGateway()
  before = await readFile(gateway.configFile, 'utf8')
})
afterAll(() => gateway.stop())

/** Writes the configuration with a change, and runs the command. */
async function reloadWith(change: (file: File) => void, args: readonly string[] = [], env = {}): Promise<Run> {
  const file = JSON.parse(before) as File
  change(file)
  await writeFile(gateway.configFile, JSON.stringify(file))
  return runWayleave(['reload', ...args], { ...gateway.env, ...env })
}

const same = (): void => {}

it('tells the differences that are served from now on, as a person and a program read them', async () => {
  expect(await reloadWith((file) => (file.onlyLocal = true))).toEqual({
    code: 0,
    stdout: '+ onlyLocal is set to true\n',
    stderr: 'one change is served\n',
  })
  const { code, stdout, stderr } = await reloadWith(same, ['--json'])
  expect([code, stderr]).toEqual([0, ''])
  expect(JSON.parse(stdout)).toMatchObject({ applied: true, problems: [], changes: [{ path: 'onlyLocal' }] })
  expect(await reloadWith(same)).toEqual({ code: 0, stdout: '', stderr: 'the configuration is the same\n' })
})

it('tells a change that needs a restart, and one that is wrong, with its line', async () => {
  expect(await reloadWith((file) => (file.listen.rpc = '127.0.0.1:1'))).toEqual({
    code: 1,
    stdout: '~ listen.rpc changes: needs a restart\n',
    stderr: 'nothing has changed: only a restart can take listen.rpc\n',
  })
  const unlike = await reloadWith((file) => (file.networks['devnet']!.chainId = '31337'))
  expect(unlike.stderr).toMatch(
    /chainId: expected a chain id as a decimal number, got "31337"; write it without quotes\n/,
  )
  const wrong = await reloadWith((file) => (file.networks['devnet']!.chainId = 'seven'))
  expect(wrong).toMatchObject({ code: 2, stdout: '' })
  expect(wrong.stderr).toMatch(
    /^line 1, column \d+: networks\.devnet\.chainId: expected .*\nnothing has changed: reload again once that is mended\n$/,
  )
  expect(JSON.parse((await reloadWith((file) => (file.listen.rpc = ''), ['--json'])).stdout)).toMatchObject({
    applied: false,
    problems: [{ path: 'listen.rpc' }],
  })
})

it('says what to do where it is not allowed, or there is no gateway', async () => {
  const admin = 'http://127.0.0.1:9'
  expect(await reloadWith(same, [], { WAYLEAVE_ADMIN_TOKEN: readerToken })).toEqual({
    code: 1,
    stdout: '',
    stderr: 'wayleave reload: this admin token needs the scope all\n',
  })
  expect((await reloadWith(same, [], { WAYLEAVE_ADMIN_TOKEN: '' })).stderr).toMatch(
    /^wayleave reload: an admin token is required .*; the token is that of \$WAYLEAVE_ADMIN_TOKEN, --token-file or --token, and needs the scope all\n$/,
  )
  expect(await reloadWith(same, ['--admin', admin])).toEqual({
    code: 1,
    stdout: '',
    stderr: `wayleave reload: nothing answers at ${admin}: --admin URL names the admin listener of a gateway\n`,
  })
  expect(await reloadWith(same, ['--admin', 'nowhere'])).toMatchObject({ code: 2 })
  expect(await reloadWith(same, ['more'])).toMatchObject({ code: 2 })
  const { url } = await serveHttp((_request, response) => void response.writeHead(200).end('<html>'))
  const { code, stdout } = await reloadWith(same, ['--admin', url, '--json'])
  const message = 'expected a report, got HTTP status 200: --admin URL names the admin listener of a gateway'
  expect([code, JSON.parse(stdout)]).toEqual([1, { error: { message } }])
})

it('sends its token nowhere but to the listener', async () => {
  const seen: (string | undefined)[] = []
  const other = await serveHttp((request, response) => {
    seen.push(request.headers.authorization)
    response.end()
  })
  const first = await serveHttp((_request, response) => void response.writeHead(307, { location: other.url }).end())
  expect(await reloadWith(same, ['--admin', first.url], { WAYLEAVE_ADMIN_TOKEN: token })).toMatchObject({ code: 1 })
  expect(seen).toEqual([])
})

/** Runs the command against an admin listener that answers so. */
async function reloadOf(status: number, body: unknown, ...args: string[]): Promise<Run> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const { url } = await serveHttp((_request, response) => void response.writeHead(status).end(text))
  return reloadWith(same, ['--admin', url, ...args])
}

const empty = { applied: false, problems: [], changes: [], needsRestart: [] }
const escape = '\u001B]0;owned\u0007\u202E'

it('prints nothing of an answer that steers a terminal, or that is endless', async () => {
  const late = { path: `a${escape}`, kind: 'changed', text: `a${escape} changes${'s'.repeat(9_000)}` }
  const problem = { path: `b${escape}`, expected: `c${escape}`, got: 'd'.repeat(9_000), hint: escape.repeat(900) }
  for (const run of [
    await reloadOf(409, { ...empty, needsRestart: [late], changes: [late] }),
    await reloadOf(422, { ...empty, problems: [problem] }),
    await reloadOf(401, `${escape}\n`.repeat(5_000)),
    await reloadOf(503, `no${escape}`, '--json'),
    await reloadOf(409, { ...empty, needsRestart: [{ ...late, text: '' }] }, '--json'),
  ]) {
    expect(run.stdout + run.stderr).toMatch(/\\u202e/)
    expect(run.stdout + run.stderr).not.toMatch(/(?!\n)\p{Cc}|\u202E/u)
    expect((run.stdout + run.stderr).length).toBeLessThan(1_500)
  }
})

it('says that the listener of callers, whose JSON tells nobody here, is none of the admin', async () => {
  const { stderr } = await reloadOf(404, { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'no such path' } })
  expect(stderr).toBe(
    'wayleave reload: expected a report, got HTTP status 404: --admin URL names the admin listener of a gateway\n',
  )
})

it.each([
  { ...empty, changes: [null] },
  { ...empty, applied: true, changes: [{ path: 'a', kind: 'other', text: 'a' }] },
  { ...empty, needsRestart: [{ path: 7 }] },
  { ...empty, problems: [{ path: 'a', expected: {}, got: '' }] },
  { ...empty, problems: [{ path: 'a', expected: 'b', got: 'c', hint: 7 }] },
  { ...empty, problems: [{ path: 'a', expected: 'b', got: 'c', line: '\u001B[2J' }] },
  null,
])('takes %j for no report', async (report) => {
  expect(await reloadOf(200, report)).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'wayleave reload: expected a report, got HTTP status 200: --admin URL names the admin listener of a gateway\n',
  })
})
