import type { AppliedState, DesiredState } from '@wayleave/admin-api'
import { describe, expect, it } from 'vitest'
import { configured, type Fixture, hash, newPem, openFixture, pem } from './support/fixture.ts'

const keyHash = (text: string): string => `sha256:${hash(text)}`

/** A change in short: `create key web of shop`, `update project shop: name, rules`. */
function inShort({ changes }: AppliedState): readonly string[] {
  return changes.map(({ action, kind, id, project, members }) =>
    [`${action} ${kind} ${id}`, project && ` of ${project}`, members && `: ${members.join(', ')}`].join(''),
  )
}

async function apply({ ask }: Fixture, state: DesiredState): Promise<readonly string[]> {
  const { status, body, text } = await ask('POST /apply', { body: state })
  expect([status, text]).toEqual([200, expect.any(String)])
  return inShort(body as AppliedState)
}

const first: DesiredState = {
  plans: [{ id: 'team', limits: { perSecond: { credits: 500 } } }],
  projects: [
    {
      id: 'shop',
      name: 'Shop',
      plan: 'team',
      rules: { methods: ['eth_call'] },
      directives: { consistency: 'pinned' },
      jwtKeys: [{ kid: 'ci', pem }],
      keys: [
        { id: 'web', keyHash: keyHash('web'), label: 'web', plan: 'team' },
        { id: 'app', key: 'a-key-of-elsewhere' },
      ],
    },
    { id: 'lab', requireSecret: true },
  ],
}

describe('apply', () => {
  it('makes an empty store equal to a state, and finds nothing to do then', async () => {
    await using fixture = await openFixture()
    expect(await apply(fixture, first)).toEqual([
      'create plan team',
      'create project shop',
      'create jwt_key ci of shop',
      'create project lab',
      'create key web of shop',
      'create key app of shop',
    ])
    const { seq, projects, keys } = await fixture.stores.accounts.snapshot()
    expect(projects).toMatchObject([
      { id: 'lab', name: 'lab', requireSecret: true },
      { id: 'shop', name: 'Shop', plan: 'team', jwtKeys: [{ kid: 'ci', pem, label: '' }] },
    ])
    expect(keys).toMatchObject([
      { id: 'app', digest: hash('a-key-of-elsewhere'), hint: 'here' },
      { id: 'web', digest: hash('web'), hint: '', plan: 'team' },
    ])
    expect(await apply(fixture, first)).toEqual([])
    expect((await fixture.stores.accounts.snapshot()).seq).toBe(seq)
  })

  it('changes only what differs, in an order in which all of it is possible', async () => {
    await using fixture = await openFixture()
    await apply(fixture, first)
    const next: DesiredState = {
      plans: [{ id: 'solo', name: 'Solo', limits: {} }],
      projects: [
        {
          id: 'shop',
          // The name of the one that goes, and the key too.
          name: 'lab',
          plan: 'solo',
          rules: { methods: ['eth_call'] },
          jwtKeys: [{ kid: 'ci', pem: newPem() }],
          keys: [{ id: 'web', keyHash: keyHash('other'), plan: 'solo' }],
        },
        { id: 'new', name: 'Shop', keys: [{ id: 'app-2', key: 'a-key-of-elsewhere', expiresAt: 5 }] },
      ],
    }
    const steps = [
      'create plan solo',
      'remove project lab',
      'remove key app of shop',
      'remove key web of shop',
      'update project shop: directives, plan, name',
      'remove jwt_key ci of shop',
      'create jwt_key ci of shop',
      'create project new',
      'create key web of shop',
      'create key app-2 of new',
      'remove plan team',
    ]
    const before = await fixture.stores.accounts.snapshot()
    expect((await apply(fixture, { ...next, dryRun: true })).toSorted()).toEqual(steps.toSorted())
    expect(await fixture.stores.accounts.snapshot()).toEqual(before)
    expect(await apply(fixture, next)).toEqual(expect.arrayContaining(steps))
    expect(await apply(fixture, next)).toEqual([])
    expect((await fixture.ask('GET /projects/shop')).body).toMatchObject({ name: 'lab', directives: {}, plan: 'solo' })
  })

  it('leaves keys alone where a project lists none, and secrets always', async () => {
    await using fixture = await openFixture()
    const { ask } = fixture
    await apply(fixture, first)
    await ask('POST /projects/shop/keys/web/secrets')
    const shop = { ...first.projects[0]! }
    const { keys, ...withoutKeys } = shop
    expect(await apply(fixture, { ...first, projects: [withoutKeys, first.projects[1]!] })).toEqual([])
    const relabelled = [{ ...keys![0]!, label: 'site' }, keys![1]!]
    const changed = { ...first, projects: [{ ...shop, keys: relabelled }, first.projects[1]!] }
    expect(await apply(fixture, changed)).toEqual(['update key web of shop: label'])
    expect((await ask('GET /projects/shop/keys/web')).body).toMatchObject({ label: 'site', secrets: [{}] })
    expect(await apply(fixture, { ...first, projects: [{ ...shop, keys: [] }, first.projects[1]!] })).toEqual(
      ['remove key web of shop', 'remove key app of shop'].toSorted(),
    )
  })

  it('empties a store only where that is written out', async () => {
    await using fixture = await openFixture()
    await apply(fixture, first)
    for (const body of [{}, { projects: [] }, { plans: [] }, []]) {
      expect((await fixture.ask('POST /apply', { body })).status).toBe(422)
    }
    expect((await fixture.ask('POST /apply')).status).toBe(422)
    expect((await fixture.stores.accounts.snapshot()).projects.length).toBe(2)
    expect(await apply(fixture, { plans: [], projects: [] })).toEqual([
      'remove project lab',
      'remove project shop',
      'remove plan team',
    ])
    expect((await fixture.ask('GET /projects')).body.items).toMatchObject([{ id: 'fixed', source: 'config' }])
  })

  it('tells of all that is wrong with a state, before it changes anything', async () => {
    await using fixture = await openFixture()
    const key = { id: 'k', key: 'a-key-of-elsewhere' }
    const wrong = {
      plans: [
        { id: 'team', limits: {} },
        { id: 'team', limits: {} },
      ],
      projects: [
        {
          id: 'a',
          plan: 'none',
          jwtKeys: [
            { kid: 'x', pem },
            { kid: 'x', pem: newPem() },
          ],
          keys: [key, { id: 'l' }],
        },
        { id: 'a', keys: [{ ...key, plan: 'none' }] },
        { id: 'b', name: 'a', keys: [{ id: 'm', key: key.key, keyHash: keyHash('m') }] },
      ],
    }
    const { status, body } = await fixture.ask('POST /apply', { body: wrong })
    expect(status).toBe(422)
    expect(body.issues.map(({ path }: { path: string }) => path)).toEqual([
      'plans[1].id',
      'projects[0].plan',
      'projects[0].jwtKeys[1].kid',
      'projects[0].keys[1].key',
      'projects[1].id',
      'projects[1].name',
      'projects[1].keys[0].id',
      'projects[1].keys[0].plan',
      'projects[1].keys[0].key',
      'projects[2].name',
      'projects[2].keys[0].keyHash',
    ])
    expect((await fixture.stores.accounts.snapshot()).seq).toBe(0)
  })

  it('refuses, before it changes anything, a state that what stays in the store stands in the way of', async () => {
    await using fixture = await openFixture()
    await apply(fixture, {
      plans: [{ id: 'team', limits: {} }],
      projects: [{ id: 'a', keys: [{ id: 'k', key: 'a-key-of-elsewhere', plan: 'team' }] }, { id: 'gone' }],
    })
    await fixture.ask('DELETE /projects/gone')
    const { seq } = await fixture.stores.accounts.snapshot()
    const state: DesiredState = {
      plans: [],
      projects: [
        { id: 'fresh' },
        { id: 'a' },
        { id: 'gone' },
        {
          id: 'b',
          keys: [
            { id: 'k', keyHash: keyHash('k') },
            { id: 'l', key: 'a-key-of-elsewhere' },
          ],
        },
      ],
    }
    for (const dryRun of [true, false]) {
      const { status, body } = await fixture.ask('POST /apply', { body: { ...state, dryRun } })
      expect([status, body.issues]).toEqual([
        409,
        [
          { path: 'projects[2].id', message: 'was the id of a project that was removed: choose another one' },
          { path: 'projects[3].keys[0].id', message: 'project "a" has a key "k", and its keys are left alone' },
          { path: 'projects[3].keys[1].key', message: 'project "a" has this key, and its keys are left alone' },
          { path: 'plans', message: 'key "k" of project "a" has the plan "team", and is left alone: list the plan' },
        ],
      ])
    }
    expect((await fixture.stores.accounts.snapshot()).seq).toBe(seq)
  })

  it('gives plans of the configuration, which it lists nowhere and never removes', async () => {
    await using fixture = await openFixture(undefined, { configured })
    const key = { id: 'k', key: 'a-key-of-elsewhere', plan: 'fixed-plan' }
    await apply(fixture, { plans: [], projects: [{ id: 'a', plan: 'fixed-plan', keys: [key] }] })
    const { projects, keys } = await fixture.stores.accounts.snapshot()
    expect([projects[0]!.plan, keys[0]!.plan]).toEqual(['fixed-plan', 'fixed-plan'])
    expect(await apply(fixture, { plans: [], projects: [{ id: 'a', plan: 'fixed-plan' }] })).toEqual([])
  })

  it('renames projects after each other, and refuses two that swap their names', async () => {
    await using fixture = await openFixture()
    const named = (names: Readonly<Record<string, string>>): DesiredState => ({
      plans: [],
      projects: Object.entries(names).map(([id, name]) => ({ id, name })),
    })
    await apply(fixture, named({ a: 'one', b: 'two' }))
    const chain = ['update project b: name', 'update project a: name', 'create project c']
    expect(await apply(fixture, named({ c: 'one', a: 'two', b: 'three' }))).toEqual(chain)
    const { status, body } = await fixture.ask('POST /apply', { body: named({ c: 'one', a: 'three', b: 'two' }) })
    const swapped = (holder: string) =>
      `project "${holder}" has this name until it gets another one: give one of them a third name first`
    expect([status, body.issues]).toEqual([
      409,
      [
        { path: 'projects[1].name', message: swapped('b') },
        { path: 'projects[2].name', message: swapped('a') },
      ],
    ])
  })

  it('goes on where it was broken off', async () => {
    let left = 3
    await using fixture = await openFixture(undefined, ({ accounts }) => ({
      accounts: {
        ...accounts,
        createKey: async (key, by) => {
          if (left-- === 2) throw Object.assign(new Error('away'), { name: 'StoresError', code: 'unavailable' })
          return accounts.createKey(key, by)
        },
      },
    }))
    expect((await fixture.ask('POST /apply', { body: first })).status).toBe(503)
    expect(await apply(fixture, first)).toEqual(['create key app of shop'])
    expect(await apply(fixture, first)).toEqual([])
  })

  it('is equal to what the API lists afterwards', async () => {
    await using fixture = await openFixture(undefined, { configured })
    await apply(fixture, first)
    const { items } = (await fixture.ask('GET /projects')).body
    expect(items.map(({ id, source }: { id: string; source: string }) => [id, source])).toEqual([
      ['fixed', 'config'],
      ['lab', 'store'],
      ['shop', 'store'],
    ])
  })
})
