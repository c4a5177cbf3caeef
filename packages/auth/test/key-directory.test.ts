import { generateKeyPairSync } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import {
  type AccountChange,
  type AccountEvent,
  type AuthError,
  createAuthenticator,
  createKeyDirectory,
  printBasic,
  sha256Hex,
  type GivenKey,
  type GivenProject,
} from '../src/index.ts'

const project = (id: string, over: Partial<GivenProject> = {}): GivenProject => ({
  id,
  name: `name of ${id}`,
  ...over,
})
const key = (id: string, over: Partial<GivenKey> = {}): GivenKey => ({
  id,
  projectId: 'p',
  digest: sha256Hex(`key-${id}`),
  secrets: [],
  ...over,
})

const secret = (id: string): GivenKey['secrets'][number] => ({ id, digest: sha256Hex(`secret-${id}`) })
const pems = ['1', '2'].map(() => generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey)
const jwtKey = (kid: '1' | '2') => ({
  kid,
  pem: pems[Number(kid) - 1]!.export({ type: 'spki', format: 'pem' }) as string,
})

/** A directory of two projects, with a key each of two for the first one, that writes down what it tells. */
function scene({
  projects = [project('p'), project('q')],
  keys = [key('a'), key('b'), key('c', { projectId: 'q' })],
} = {}) {
  const events: AccountEvent[] = []
  const invalid: AuthError[] = []
  const time = { now: 1_000 }
  const directory = createKeyDirectory({
    snapshot: { seq: 10, projects, keys },
    onInvalid: (error) => invalid.push(error),
    now: () => time.now,
  })
  const stop = directory.onEvent((event) => events.push(event))
  const find = (id: string) => directory.find(sha256Hex(`key-${id}`))
  let seq = 10
  const apply = (change: AccountChange extends infer C ? (C extends AccountChange ? Omit<C, 'seq'> : never) : never) =>
    directory.apply({ ...change, seq: ++seq } as AccountChange)
  return { directory, events, invalid, time, find, apply, stop }
}

test('a snapshot’s keys are found by their digests, with project, secrets, hint and label', () => {
  const secrets = [{ id: 's', digest: sha256Hex('s'), hint: 'cret', label: 'old', expiresAt: 5 }]
  const { find, directory } = scene({ keys: [key('a', { hint: 'ab12', label: 'ci', expiresAt: 9, secrets })] })
  expect(directory.seq).toBe(10)
  expect(find('a')).toEqual({
    id: 'a',
    project: { id: 'p', name: 'name of p', requireSecret: false },
    secrets: [{ digest: sha256Hex('s'), expiresAt: 5 }],
    hint: 'ab12',
    label: 'ci',
    expiresAt: 9,
  })
  expect(find('b')).toBeUndefined()
})

describe('a change', () => {
  test('is told, key or project, revoked, changed or amended; new ones are not', () => {
    const { apply, events } = scene()
    apply({ kind: 'key', key: key('d') })
    apply({ kind: 'project', project: project('r') })
    expect(events).toEqual([])
    apply({ kind: 'key', key: key('a', { label: 'x' }) })
    apply({ kind: 'key', key: key('a', { disabled: true }) })
    apply({ kind: 'key', key: key('a', { disabled: true, label: 'y' }) })
    apply({ kind: 'key_removed', keyId: 'b' })
    apply({ kind: 'project', project: project('p', { requireSecret: true }) })
    apply({ kind: 'project_removed', projectId: 'q' })
    expect(events).toEqual([
      { kind: 'amended', projectId: 'p', keyId: 'a' },
      { kind: 'revoked', projectId: 'p', keyId: 'a' },
      { kind: 'revoked', projectId: 'p', keyId: 'b' },
      { kind: 'changed', projectId: 'p', keyId: undefined },
      { kind: 'revoked', projectId: 'q', keyId: undefined },
    ])
  })

  test.each<[string, Partial<GivenProject>, Partial<GivenProject>, AccountEvent['kind']]>([
    ['a name', {}, { name: 'other' }, 'amended'],
    ['the plan', { plan: 'small' }, { plan: 'large' }, 'amended'],
    ['the directives', {}, { directives: { 'max-lag': '3' } }, 'amended'],
    ['a JWT key more', { jwtKeys: [jwtKey('1')] }, { jwtKeys: [jwtKey('1'), jwtKey('2')] }, 'amended'],
    ['a JWT key less', { jwtKeys: [jwtKey('1'), jwtKey('2')] }, { jwtKeys: [jwtKey('2')] }, 'changed'],
    ['the audience', {}, { jwtAudience: 'shop' }, 'changed'],
    ['the leeway of JWTs', {}, { jwtLeewayMs: 0 }, 'changed'],
    ['a rule', { rules: { methods: ['a'] } }, { rules: { methods: ['b'] } }, 'changed'],
    ['rules for secrets', { secretBypassesRules: true }, {}, 'changed'],
    ['the networks', {}, { networks: ['mainnet'] }, 'changed'],
    ['a secret that is required', {}, { requireSecret: true }, 'changed'],
    ['a JWT that is required', {}, { requireJwt: true }, 'changed'],
    ['its end', {}, { disabled: true }, 'revoked'],
  ])('of a project about %s is told by what it means for connections', (_what, before, next, kind) => {
    const { apply, events } = scene({ projects: [project('p', before)], keys: [key('a')] })
    apply({ kind: 'project', project: project('p', next) })
    expect(events).toEqual([{ kind, projectId: 'p', keyId: undefined }])
  })

  test.each<[string, Partial<GivenKey>, Partial<GivenKey>, AccountEvent['kind']]>([
    ['a label', {}, { label: 'ci' }, 'amended'],
    ['a secret more', { secrets: [secret('1')] }, { secrets: [secret('1'), secret('2')] }, 'amended'],
    ['the label of a secret', { secrets: [secret('1')] }, { secrets: [{ ...secret('1'), label: 'ci' }] }, 'amended'],
    ['a secret that had expired', { secrets: [{ ...secret('1'), expiresAt: 1_000 }] }, {}, 'amended'],
    ['a secret less', { secrets: [secret('1'), secret('2')] }, { secrets: [secret('2')] }, 'changed'],
    ['the end of a secret', { secrets: [secret('1')] }, { secrets: [{ ...secret('1'), expiresAt: 5_000 }] }, 'changed'],
    ['its expiry', {}, { expiresAt: 5_000 }, 'changed'],
    ['another project', {}, { projectId: 'q' }, 'revoked'],
    ['its end', {}, { disabled: true }, 'revoked'],
  ])('of a key about %s is told by what it means for connections', (_what, before, next, kind) => {
    const { apply, events } = scene({ keys: [key('a', before)] })
    apply({ kind: 'key', key: key('a', next) })
    expect(events).toEqual([{ kind, projectId: 'p', keyId: 'a' }])
  })

  test('that is older than the last one is ignored', () => {
    const { directory, find, events } = scene()
    expect(directory.apply({ seq: 12, kind: 'key_removed', keyId: 'a' })).toBe(true)
    for (const seq of [12, 11, 10, 0]) expect(directory.apply({ seq, kind: 'key', key: key('a') })).toBe(false)
    expect(find('a')).toBeUndefined()
    expect(directory.seq).toBe(12)
    expect(events).toHaveLength(1)
  })

  test('that changes nothing tells nothing', () => {
    const { apply, events, find } = scene()
    const before = find('a')
    apply({ kind: 'key', key: key('a') })
    apply({ kind: 'project', project: project('p') })
    apply({ kind: 'key_removed', keyId: 'nobody' })
    apply({ kind: 'project_removed', projectId: 'nobody' })
    expect(events).toEqual([])
    expect(find('a')).toBe(before)
  })

  test('of a project holds for all of its keys at once', () => {
    const { apply, find } = scene()
    apply({ kind: 'project', project: project('p', { requireSecret: true, plan: 'free' }) })
    expect([find('a'), find('b')].map((record) => record?.project)).toMatchObject([
      { requireSecret: true, plan: 'free' },
      { requireSecret: true, plan: 'free' },
    ])
    apply({ kind: 'project', project: project('p', { disabled: true }) })
    expect([find('a'), find('b'), find('c')?.id]).toEqual([undefined, undefined, 'c'])
    apply({ kind: 'project', project: project('p') })
    expect(find('a')).toMatchObject({ project: { requireSecret: false } })
    apply({ kind: 'project_removed', projectId: 'p' })
    apply({ kind: 'project', project: project('p') })
    expect([find('a'), find('b')]).toEqual([undefined, undefined])
  })

  test('to another digest or another project revokes the key for those who are connected', () => {
    const { apply, events, find } = scene()
    apply({ kind: 'key', key: key('a', { digest: sha256Hex('key-new') }) })
    apply({ kind: 'key', key: key('b', { projectId: 'q' }) })
    expect([find('a'), find('new')?.id, find('b')?.project.id]).toEqual([undefined, 'a', 'q'])
    expect(events).toEqual([
      { kind: 'revoked', projectId: 'p', keyId: 'a' },
      { kind: 'revoked', projectId: 'p', keyId: 'b' },
    ])
    apply({ kind: 'project_removed', projectId: 'p' })
    expect(find('b')?.id).toBe('b')
  })

  test('is told to nobody who has left', () => {
    const { apply, events, stop } = scene()
    stop()
    apply({ kind: 'key_removed', keyId: 'a' })
    expect(events).toEqual([])
  })
})

describe('a row that cannot be used', () => {
  test.each<[string, GivenKey, RegExp]>([
    ['no digest', key('x', { digest: 'ABC' }), /^key "x": its digest/],
    ['a wrong secret', key('x', { secrets: [{ id: 's', digest: 'plain' }] }), /^key "x": a secret's digest/],
    [
      'three secrets',
      key('x', { secrets: ['1', '2', '3'].map((id) => ({ id, digest: sha256Hex(id) })) }),
      /^key "x": it has 3 secrets, at most 2/,
    ],
    ['no project', key('x', { projectId: 'nowhere' }), /^key "x": there is no project "nowhere"/],
    ['the digest of another', key('x', { digest: sha256Hex('key-a') }), /^key "x": it is the same as key "a"/],
  ])('with %s is named, refused, and holds nothing up', (_, bad, message) => {
    const { apply, invalid, directory, find } = scene()
    apply({ kind: 'key', key: bad })
    expect(invalid.map((error) => error.message)).toEqual([expect.stringMatching(message)])
    expect(invalid[0]!.message).not.toMatch(/[0-9a-f]{64}/)
    expect(directory.seq).toBe(11)
    expect(find('a')?.id).toBe('a')
    expect(apply({ kind: 'key_removed', keyId: 'a' })).toBe(true)
    expect(find('a')).toBeUndefined()
  })

  test('of a project closes it until it is mended', () => {
    const rules = { methods: ['eth_*'] }
    const { apply, invalid, find, events } = scene()
    apply({ kind: 'project', project: project('p', { rules }) })
    expect(invalid[0]).toMatchObject({
      code: 'invalid_rules',
      message: expect.stringContaining('project "p": methods[0]'),
    })
    expect(find('a')).toBeUndefined()
    expect(events).toEqual([{ kind: 'revoked', projectId: 'p', keyId: undefined }])
    apply({ kind: 'project', project: project('p') })
    expect(find('a')?.id).toBe('a')
  })

  test('of a key that was right revokes it', () => {
    const { apply, find, events } = scene()
    apply({ kind: 'key', key: key('a', { digest: 'x' }) })
    expect(find('a')).toBeUndefined()
    expect(events).toEqual([{ kind: 'revoked', projectId: 'p', keyId: 'a' }])
    apply({ kind: 'key', key: key('a') })
    expect(find('a')?.id).toBe('a')
  })
})

test('a new snapshot takes the place of all, and what differs is told', () => {
  const { directory, events, find } = scene()
  directory.replace({
    seq: 50,
    projects: [project('p', { plan: 'team' })],
    keys: [key('a'), key('b', { disabled: true }), key('d')],
  })
  expect(events).toEqual([
    { kind: 'revoked', projectId: 'q', keyId: undefined },
    { kind: 'amended', projectId: 'p', keyId: undefined },
    { kind: 'revoked', projectId: 'p', keyId: 'b' },
  ])
  expect([find('a')?.project.plan, find('b'), find('c'), find('d')?.id]).toEqual(['team', undefined, undefined, 'd'])
  expect(directory.apply({ seq: 50, kind: 'key_removed', keyId: 'a' })).toBe(false)
})

test('uses are read in bulk, each key once with the time of the reading, and read once', () => {
  const { directory, find, time } = scene()
  directory.touch(find('a')!)
  directory.touch(find('c')!)
  directory.touch(find('a')!)
  time.now = 2_000
  expect(directory.takeUsed()).toEqual([
    { keyId: 'a', usedAt: 2_000 },
    { keyId: 'c', usedAt: 2_000 },
  ])
  expect(directory.takeUsed()).toEqual([])
})

test('authentication over it is synchronous; a key that is disabled, has expired or was removed is revoked', () => {
  const secrets = [{ id: 's', digest: sha256Hex('secret') }]
  const { directory, apply } = scene({
    keys: [key('a', { secrets }), key('b', { disabled: true }), key('c', { expiresAt: 5 })],
  })
  const authenticate = createAuthenticator({ keys: directory, now: () => 5 })
  expect(authenticate('key-a', printBasic('', 'secret'))).toMatchObject({ keyId: 'a' })
  expect(directory.takeUsed()).toHaveLength(1)
  const revoked = (keyId: string, why: string) => ({ failure: 'revoked', keyId, why })
  expect(authenticate('key-z', undefined)).toEqual({ failure: 'unknown_key', keyId: sha256Hex('key-z').slice(0, 8) })
  expect(authenticate('key-b', undefined)).toEqual(revoked('b', 'the key is disabled'))
  expect(authenticate('key-c', undefined)).toEqual(revoked('c', 'the key has expired'))
  apply({ kind: 'key_removed', keyId: 'a' })
  expect(authenticate('key-a', printBasic('', 'secret'))).toEqual(revoked('a', 'the key was removed'))
  apply({ kind: 'project', project: project('p', { disabled: true }) })
  expect(authenticate('key-c', undefined)).toEqual(revoked('c', 'its project is disabled'))
  apply({ kind: 'key', key: key('a') })
  apply({ kind: 'project', project: project('p') })
  expect(authenticate('key-a', undefined)).toMatchObject({ keyId: 'a' })
  directory.takeUsed()
  apply({ kind: 'project_removed', projectId: 'p' })
  expect(authenticate('key-a', undefined)).toEqual(revoked('a', 'the key was removed'))
  expect(directory.takeUsed()).toEqual([])
})

test('of removed keys the last 10,000 are remembered', () => {
  const { directory } = scene()
  const keys = Array.from({ length: 10_001 }, (_, i) => key(`${i}`))
  directory.replace({ seq: 60, projects: [project('p')], keys })
  directory.replace({ seq: 61, projects: [project('p')], keys: [] })
  expect(directory.revoked(keys[0]!.digest)).toBeUndefined()
  expect(directory.revoked(keys[1]!.digest)).toEqual({ id: '1', why: 'the key was removed' })
})

test('a million unknown keys leave nothing behind', () => {
  const { directory } = scene()
  const before = heap()
  for (let i = 0; i < 1_000_000; i++) directory.find(`${i}`.padStart(64, '0'))
  // A million digests that were kept would take more than 80 MB.
  expect(heap() - before).toBeLessThan(20 * 1024 * 1024)
  expect(directory.takeUsed()).toEqual([])
})

/** Bytes in use after a collection. */
function heap(): number {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  return process.memoryUsage().heapUsed
}
