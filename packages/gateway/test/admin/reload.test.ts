import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ConfigChange, noDiff, type ReloadReport } from '@wayleave/gateway'
import { sha256Hex } from '@wayleave/auth'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createAdminListener } from '../../src/admin/listener.ts'
import { adminTokensOf } from '../../src/admin/admin-tokens.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { operatorsOf, send } from '../support.ts'

const change: ConfigChange = { path: 'listen.rpc', kind: 'changed', text: 'listen.rpc changes' }
const problem = { path: 'listen.rpc', expected: 'another', got: 'this' }
const changed: ReloadReport = { diff: { ...noDiff, changes: [change] }, applied: true, problems: [] }
const refused: ReloadReport = {
  diff: { ...noDiff, changes: [change], needsRestart: [change] },
  applied: false,
  problems: [problem],
}

async function scene(report?: ReloadReport, token?: string, reread?: () => Promise<ReloadReport> | undefined) {
  let reloads = 0
  const scopes = ['read', 'accounts', 'usage', 'networks'] as const
  const tokens = [{ name: 'some', tokenHash: `sha256:${sha256Hex('a-token-of-some-scopes')}`, scopes }]
  const server = createServer(
    createAdminListener({
      address: '127.0.0.1:0',
      metrics: createMetrics(),
      health: {} as never,
      operators: operatorsOf(token === undefined ? [] : adminTokensOf({ token, tokens }, sha256Hex)),
      hosts: [],
      reread:
        reread ??
        (report &&
          (() => {
            reloads++
            return Promise.resolve(report)
          })),
    }),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ask = (headers: Record<string, string> = {}, method = 'POST') => send(url, '/reload', { method, headers })
  return { ask, reloads: () => reloads }
}

describe('POST /reload', () => {
  it.each([
    ['200 for one that is served', 200, changed],
    ['200 for no difference', 200, { diff: noDiff, applied: true, problems: [] }],
    ['409 for one that needs a restart', 409, refused],
    ['422 for one that is wrong', 422, { diff: noDiff, applied: false, problems: [problem] }],
  ])('has the configuration read again, and answers %s', async (_, status, report) => {
    const { ask, reloads } = await scene(report)
    const answer = await ask()
    expect(answer).toMatchObject({ status, headers: { 'content-type': 'application/json' } })
    const { applied, problems, diff } = report
    expect(JSON.parse(answer.body)).toEqual({ applied, problems, ...diff })
    expect(reloads()).toBe(1)
  })

  it('is for tokens with the scope all only', async () => {
    const { ask, reloads } = await scene(changed, 'a-token-of-everything')
    expect((await ask()).status).toBe(401)
    const few = await ask({ authorization: 'Bearer a-token-of-some-scopes' })
    expect(few).toMatchObject({ status: 403, body: 'this admin token needs the scope all\n' })
    expect(reloads()).toBe(0)
    expect((await ask({ authorization: 'Bearer a-token-of-everything' })).status).toBe(200)
  })

  it('is no GET, and nothing for a web page of elsewhere', async () => {
    const { ask, reloads } = await scene(changed)
    expect(await ask({}, 'GET')).toMatchObject({ status: 405, headers: { allow: 'POST' } })
    expect((await ask({ origin: 'https://evil.example' })).status).toBe(403)
    expect(reloads()).toBe(0)
  })

  it('answers 503 while the gateway starts or ends, and 500 where reading fails', async () => {
    const starting = await scene(undefined, undefined, () => undefined)
    expect(await starting.ask()).toMatchObject({ status: 503, body: expect.stringContaining('starts or ends') })
    const failing = await scene(undefined, undefined, () => Promise.reject(new Error('a S3CR3T')))
    const { status, body } = await failing.ask()
    expect([status, body]).toEqual([500, 'the configuration could not be read again\n'])
  })

  it('answers 404 where there is no file', async () => {
    const { ask } = await scene()
    expect(await ask()).toMatchObject({ status: 404, body: expect.stringContaining('without a configuration file') })
  })
})
