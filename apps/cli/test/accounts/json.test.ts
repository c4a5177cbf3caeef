import { generateKeyPairSync } from 'node:crypto'
import { userInfo } from 'node:os'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { file, type Run, runProcess, runWayleave } from '../helpers.ts'
import {
  configuredKey,
  hashOf,
  jsonLines,
  makePlace,
  type Place,
  type RunningGateway,
  startGateway,
} from './helpers.ts'

// A process of each command, of a second or more where the machine is busy.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

const time = expect.any(Number)
const anId = expect.stringMatching(/^[0-9a-f]{16}$/)
const aKey = expect.stringMatching(/^wl_\w{28}$/)
const project = {
  id: 'shop',
  name: 'Shop',
  source: 'store',
  disabled: false,
  requireSecret: true,
  requireJwt: false,
  jwtKeys: [],
  rules: { methods: ['eth_call'] },
  secretBypassesRules: false,
  limits: { perDay: { credits: 9 } },
  directives: {},
  createdAt: time,
}
const demo = {
  id: 'demo',
  name: 'demo',
  source: 'config',
  disabled: false,
  requireSecret: false,
  requireJwt: false,
  jwtKeys: [],
  rules: {},
  secretBypassesRules: false,
  directives: {},
}
const web = {
  id: 'web',
  projectId: 'shop',
  source: 'store',
  hint: expect.stringMatching(/^\w{4}$/),
  label: 'web',
  disabled: false,
  secrets: [],
  createdAt: time,
}

// The steps of one operator, each of which builds on those before it.
describe.each([
  ['a running gateway', true],
  ['the store of a configuration', false],
])('--json, asked of %s', (_name, isRunning) => {
  let gateway: RunningGateway | undefined
  let place: Place
  let run: (args: readonly string[], input?: string) => Promise<Run>
  const json = async (...args: readonly string[]): Promise<readonly unknown[]> =>
    jsonLines(await run([...args, '--json']))

  beforeAll(async () => {
    if (isRunning) {
      gateway = await startGateway()
      place = gateway
      run = gateway.run
    } else {
      place = await makePlace()
      // A process of each command is run above; two of the store are run in the tests of apply.
      run = (args, input) => runWayleave([...args, '--config', place.configFile], {}, input)
    }
  })
  afterAll(() => gateway?.stop() ?? place.remove())

  it('projects: create, list, show, update, disable, enable', async () => {
    const fields = [
      '--name',
      'Shop',
      '--require-secret',
      '--rules',
      '{"methods":["eth_call"]}',
      '--limits',
      '{"perDay":{"credits":9}}',
    ]
    expect(await json('projects', 'create', 'shop', ...fields)).toEqual([project])
    expect(await json('projects', 'list')).toEqual([demo, project])
    expect(await json('projects', 'show', 'shop')).toEqual([project])
    const { limits: _, ...unlimited } = project
    const changed = { ...unlimited, requireSecret: false, networks: ['devnet'] }
    const change = ['--limits', 'none', '--no-require-secret', '--networks', 'devnet']
    expect(await json('projects', 'update', 'shop', ...change)).toEqual([changed])
    expect(await json('projects', 'disable', 'shop')).toEqual([{ ...changed, disabled: true }])
    expect(await json('projects', 'enable', 'shop')).toEqual([changed])
  })

  it('plans: put, list', async () => {
    const plan = { id: 'free', name: 'Free', limits: { perSecond: { credits: 5 } }, source: 'store', createdAt: time }
    expect(await json('plans', 'put', 'free', '--name', 'Free', '--limits', '{"perSecond":{"credits":5}}')).toEqual([
      plan,
    ])
    expect(await json('plans', 'list')).toEqual([plan])
  })

  it('keys: create, list, show, update, disable, enable', async () => {
    expect(await json('keys', 'create', 'shop', '--id', 'web', '--label', 'web')).toEqual([{ ...web, key: aKey }])
    const configured = {
      id: hashOf(configuredKey).slice('sha256:'.length, 'sha256:'.length + 8),
      projectId: 'demo',
      source: 'config',
      hint: 'cdef',
      label: 'of the file',
      disabled: false,
      secrets: [],
    }
    expect(await json('keys', 'list')).toEqual([configured, web])
    expect(await json('keys', 'list', 'shop')).toEqual([web])
    expect(await json('keys', 'show', 'shop', 'web')).toEqual([web])
    const limited = { ...web, label: 'w', plan: 'free', expiresAt: Date.parse('2099-01-31') }
    const change = ['--label', 'w', '--plan', 'free', '--expires', '2099-01-31']
    expect(await json('keys', 'update', 'shop', 'web', ...change)).toEqual([limited])
    expect(await json('keys', 'disable', 'shop', 'web')).toEqual([{ ...limited, disabled: true }])
    expect(await json('keys', 'enable', 'shop', 'web')).toEqual([limited])
    const freed = ['--expires', 'never', '--plan', 'none', '--label', 'web']
    expect(await json('keys', 'update', 'shop', 'web', ...freed)).toEqual([web])
  })

  it('keys: create --secret --hex, add-secret, remove-secret, rotate', async () => {
    const secret = { id: anId, hint: expect.stringMatching(/^\w{4}$/), label: '', createdAt: time }
    const app = { ...web, id: 'app', label: '', secrets: [secret] }
    const aSecret = expect.stringMatching(/^wls_\w{28}$/)
    expect(await json('keys', 'create', 'shop', '--id', 'app', '--secret', '--hex')).toEqual([
      { ...app, key: expect.stringMatching(/^[0-9a-f]{32}$/), secret: aSecret },
    ])
    const [added] = await json('keys', 'add-secret', 'shop', 'app', '--label', 'second')
    expect(added).toEqual({ ...secret, label: 'second', secret: aSecret })
    const { id } = added as { id: string }
    const gone = ['keys', 'remove-secret', 'shop', 'app', id, '--yes']
    expect(await json(...gone)).toEqual([{ removed: id, key: 'app', project: 'shop' }])
    const [rotated] = await json('keys', 'rotate', 'shop', 'app', '--id', 'app2', '--overlap', '2h')
    expect(rotated).toEqual({ created: { ...app, id: 'app2', key: aKey }, old: { ...app, expiresAt: time } })
  })

  it('keys: import, revoke', async () => {
    const keys = await file(
      'keys.txt',
      `# keys of elsewhere\r\nshop ${'ab'.repeat(16)} old web\r\nshop\t${hashOf('another key')}\n`,
    )
    const item = { id: anId, projectId: 'shop', outcome: 'created' }
    expect(await json('keys', 'import', keys)).toEqual([{ items: [item, item] }])
    const again = { ...item, outcome: 'exists' }
    expect(await json('keys', 'import', keys)).toEqual([{ items: [again, again] }])
    const listed = (await json('keys', 'list', 'shop')) as { label: string; hint: string }[]
    expect(listed.find(({ label }) => label === 'old web')?.hint).toBe('abab')
    expect(await json('keys', 'revoke', 'shop', 'app2', '--yes')).toEqual([{ revoked: 'app2', project: 'shop' }])
  })

  it('projects: add-jwt-key, remove-jwt-key; remove; plans: remove', async () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string
    expect(await json('projects', 'add-jwt-key', 'shop', await file('key.pem', pem), '--kid', 'ci')).toEqual([
      { kid: 'ci', alg: 'ES256', fingerprint: expect.stringMatching(/=$/), pem, label: '', createdAt: time },
    ])
    expect(await json('projects', 'remove-jwt-key', 'shop', 'ci', '--yes')).toEqual([
      { removed: 'ci', project: 'shop' },
    ])
    expect(await json('projects', 'remove', 'shop', '--yes')).toEqual([{ removed: 'shop' }])
    expect(await json('plans', 'remove', 'free', '--yes')).toEqual([{ removed: 'free' }])
  })

  it('usage and audit', async () => {
    expect(await json('usage', '--since', '7d', '--by', 'none')).toEqual([
      { period: 'hour', from: time, to: time, items: [{ calls: 0, credits: 0 }], complete: true },
    ])
    const actor = isRunning ? 'admin.token' : `cli:${userInfo().username}`
    expect(await json('audit', '--limit', '1')).toEqual([
      {
        seq: time,
        at: time,
        actor,
        action: 'plan.remove',
        kind: 'plan',
        id: 'free',
        before: { id: 'free', name: 'Free', limits: { perSecond: { credits: 5 } }, createdAt: time },
      },
    ])
  })

  it('apply', async () => {
    const state = await file(
      'accounts.yaml',
      'plans: []\nprojects: [{ id: lab, keys: [{ id: ci, key: "${LAB_KEY}" }] }]\n',
    )
    const changes = [
      { action: 'create', kind: 'project', id: 'lab' },
      { action: 'create', kind: 'key', id: 'ci', project: 'lab' },
    ]
    const flags = isRunning ? [] : ['--config', place.configFile]
    const runApply = isRunning ? runProcess : runWayleave
    const env = { LAB_KEY: 'a-key-of-the-lab', ...gateway?.env }
    const apply = async (...args: string[]) =>
      jsonLines(await runApply(['apply', state, '--json', ...flags, ...args], env))
    expect(await apply('--dry-run')).toEqual([{ dryRun: true, changes }])
    expect(await apply()).toEqual([{ dryRun: false, changes }])
    expect(await apply()).toEqual([{ dryRun: false, changes: [] }])
  })
})

it('keys hash --json', async () => {
  const { stdout } = await runProcess(['keys', 'hash', '--json'], {}, `${configuredKey}\n`)
  expect(JSON.parse(stdout)).toEqual({ hash: hashOf(configuredKey), hint: 'cdef' })
})
