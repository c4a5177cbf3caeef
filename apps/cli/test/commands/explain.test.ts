import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { configuredKey, expiredToken, readerToken, type RunningGateway, startGateway } from '../accounts/helpers.ts'
import { type Run, runWayleave, serveHttp } from '../helpers.ts'

// Starts a process, which takes seconds where the machine is busy.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

let gateway: RunningGateway

beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.stop())

const explain = (args: readonly string[], env = {}): Promise<Run> =>
  runWayleave(['explain', ...args], { ...gateway.env, ...env })

/** Calls a method, and gives the trace id of its answer. */
async function call(method: string, path = `/v3/${configuredKey}`): Promise<string> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })
  const response = await fetch(gateway.rpc + path, { method: 'POST', body })
  await response.text()
  return response.headers.get('x-trace-id')!
}

it('tells what became of a call, to people and to programs', async () => {
  const id = await call('admin_peers')
  const { code, stdout, stderr } = await explain([id], { WAYLEAVE_ADMIN_TOKEN: readerToken })
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout.split('\n')).toEqual([
    expect.stringMatching(new RegExp(`^${id}  20\\d\\d-.*Z$`)),
    expect.stringMatching(/^ {2}devnet admin_peers, project demo, key [\da-f]{8}$/),
    expect.stringMatching(/^ {2}refused \(-32601\) after \d+ ms$/),
    '  the method is denied for everyone (methods.deny)',
    '',
  ])
  const reported = JSON.parse((await explain([id, '--json'])).stdout)
  expect(reported).toMatchObject({ id, network: 'devnet', method: 'admin_peers', outcome: 'refused' })
  const well = await call('eth_chainId')
  expect((await explain([well])).stdout).toMatch(
    /\n {2}answered after \d+ ms\n {2}answered by upstream-1\n {2}upstream upstream-1; cache miss\n/,
  )
})

it('lists the last calls that went badly', async () => {
  const refused = await call('eth_chainId', '/v3/nobody')
  const { code, stdout } = await explain([])
  expect(code).toBe(0)
  const [last] = stdout.split('\n')
  expect(last!.split('\t')).toEqual([
    expect.stringMatching(/Z$/),
    refused,
    '-',
    '-',
    'refused',
    '0',
    'refused with HTTP status 401 before it was read: invalid project id',
  ])
})

it('says what to do where there is nothing to tell', async () => {
  const unknown = 'f'.repeat(32)
  expect(await explain([unknown])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^wayleave explain: no such call is remembered here/),
  })
  expect(await explain(['../status'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('expected a trace id, as in the header X-Trace-Id'),
  })
  expect((await explain([unknown], { WAYLEAVE_ADMIN_TOKEN: expiredToken })).stderr).toMatch(/needs the scope read\n$/)
  const gone = JSON.parse((await explain(['--json', '--admin', 'http://127.0.0.1:9'])).stdout)
  expect(gone.error.message).toMatch(/^nothing answers at http:\/\/127\.0\.0\.1:9:/)
})

it.each([
  ['a page', '<html>\u001B[31m', 200],
  ['other JSON', '{"calls":[{}]}', 200],
  ['a node', '{"jsonrpc":"2.0","id":null,"error":{}}', 404],
])('takes the answer of %s for none', async (_what, body, status) => {
  const { url } = await serveHttp((_request, response) => void response.writeHead(status).end(body))
  const { code, stderr } = await explain(['--admin', url])
  expect([code, stderr]).toEqual([
    1,
    `wayleave explain: expected an explanation, got HTTP status ${status}: --admin URL names the admin listener of a gateway\n`,
  ])
})
