import type { Author } from '@wayleave/auth'
import { type AccountChange, openStores, type Stores, type StoresOptions } from '@wayleave/stores'
import { describe, expect, it } from 'vitest'

const by: Author = { actor: 'ops', at: 1_000 }

function digestOf(seed: string): string {
  return seed.repeat(64).slice(0, 64)
}

function keyFor(project: string, id: string, seed: string) {
  return { id, projectId: project, digest: digestOf(seed), hint: 'wxyz' }
}

/** Waits until `ready`, which a follower brings about. */
async function until(ready: () => boolean): Promise<void> {
  await expect.poll(ready, { interval: 5 }).toBe(true)
}

async function failureOf(work: Promise<unknown>): Promise<Error> {
  return (await work.catch((thrown: unknown) => thrown)) as Error
}

const pem = `-----BEGIN PUBLIC KEY-----\n${'A'.repeat(64)}\n-----END PUBLIC KEY-----\n`

/** Tests that hold for accounts in either database. */
export function accountCases(
  fresh: () => Promise<StoresOptions>,
  execute: (options: StoresOptions, statement: string) => Promise<void>,
): void {
  describe('accounts', () => {
    it('are there after a restart, exactly', async () => {
      const options = await fresh()
      const limits = { perSecond: { credits: 500 }, perDay: { credits: 1e12, marks: [50, 100] }, methods: { 'ü*': {} } }
      {
        await using stores = await openStores(options)
        await stores.accounts.putPlan({ id: 'team', name: 'Team', limits }, by)
        await stores.accounts.createProject(
          {
            id: 'p1',
            name: 'One',
            plan: 'team',
            requireSecret: true,
            networks: ['mainnet'],
            jwtAudience: 'https://one.example',
            jwtLeewayMs: 5_000,
            rules: { methods: ['eth_call'] },
            directives: { 'max-lag': '3' },
          },
          by,
        )
        await stores.accounts.createKey(
          { ...keyFor('p1', 'k1', 'ab'), label: 'web', expiresAt: 5_000, plan: 'team', limits },
          by,
        )
        await stores.accounts.addSecret('k1', { id: 's1', digest: digestOf('cd'), hint: 'last' }, by)
        await stores.accounts.addJwtKey('p1', { kid: 'j1', pem }, by)
      }
      await using stores = await openStores(options)
      const project = await stores.accounts.project('p1')
      const key = await stores.accounts.key('k1')
      expect(project).toStrictEqual({
        id: 'p1',
        name: 'One',
        disabled: false,
        networks: ['mainnet'],
        requireSecret: true,
        requireJwt: false,
        jwtKeys: [{ kid: 'j1', pem, label: '', createdAt: 1_000 }],
        jwtAudience: 'https://one.example',
        jwtLeewayMs: 5_000,
        rules: { methods: ['eth_call'] },
        secretBypassesRules: false,
        plan: 'team',
        directives: { 'max-lag': '3' },
        createdAt: 1_000,
      })
      expect(key).toStrictEqual({
        ...keyFor('p1', 'k1', 'ab'),
        label: 'web',
        disabled: false,
        expiresAt: 5_000,
        plan: 'team',
        limits,
        createdAt: 1_000,
        secrets: [{ id: 's1', digest: digestOf('cd'), hint: 'last', label: '', createdAt: 1_000 }],
      })
      const plan = { id: 'team', name: 'Team', limits, createdAt: 1_000 }
      expect(await stores.accounts.snapshot()).toEqual({ seq: 5, plans: [plan], projects: [project], keys: [key] })
      expect(await stores.accounts.plans({ limit: 10 })).toEqual([plan])
      expect(await stores.accounts.projects({ limit: 10 })).toEqual([project])
      expect(await stores.accounts.keys('p1', { limit: 10 })).toEqual([key])
      expect(await stores.accounts.keys('p1', { limit: 10, after: 'k1' })).toEqual([])
      expect(await stores.accounts.key('k2')).toBeUndefined()
    })

    it('tell each change in order, with the record as it was then', async () => {
      await using stores = await openStores(await fresh())
      const made = await stores.accounts.createProject({ id: 'p', name: 'P' }, by)
      const changed = await stores.accounts.updateProject('p', { disabled: true }, by)
      const key = await stores.accounts.createKey(keyFor('p', 'k', 'a'), by)
      await stores.accounts.removeProject('p', by)
      expect(await stores.accounts.changes(0, 10)).toEqual([
        { seq: 1, kind: 'project', project: made },
        { seq: 2, kind: 'project', project: changed },
        { seq: 3, kind: 'key', key },
        { seq: 4, kind: 'project_removed', projectId: 'p' },
      ])
      expect(await stores.accounts.changes(2, 1)).toEqual([{ seq: 3, kind: 'key', key }])
      expect(await stores.accounts.changes(4, 10)).toEqual([])
      expect(await stores.accounts.key('k')).toBeUndefined()
    })

    it('ask for a snapshot where the feed does not reach back, or never came so far', async () => {
      const options = await fresh()
      await using stores = await openStores(options)
      for (const id of ['a', 'b', 'c']) await stores.accounts.createProject({ id, name: id }, by)
      expect(await stores.accounts.changes(4, 10)).toBeUndefined()
      await execute(options, 'delete from account_changes where seq < 3')
      expect(await stores.accounts.changes(1, 10)).toBeUndefined()
      expect(await stores.accounts.changes(2, 10)).toHaveLength(1)
      await execute(options, 'delete from account_changes')
      expect(await stores.accounts.changes(2, 10)).toBeUndefined()
    })

    it('keep the last 10,000 changes', async () => {
      const options = await fresh()
      await using stores = await openStores(options)
      await stores.accounts.createProject({ id: 'a', name: 'a' }, by)
      await execute(options, 'update account_feed set seq = 10000')
      await stores.accounts.createProject({ id: 'b', name: 'b' }, by)
      expect(await stores.accounts.changes(0, 1)).toBeUndefined()
      expect(await stores.accounts.changes(10_000, 1)).toMatchObject([{ seq: 10_001, project: { id: 'b' } }])
    })

    it('change with their lines in the feed and the audit log, or not at all', async () => {
      const options = await fresh()
      await using stores = await openStores(options)
      await stores.accounts.createProject({ id: 'p', name: 'P' }, by)
      await execute(options, 'alter table account_audit rename to elsewhere')
      await expect(stores.accounts.createKey(keyFor('p', 'k', 'a'), by)).rejects.toMatchObject({ name: 'StoresError' })
      await execute(options, 'alter table elsewhere rename to account_audit')
      expect(await stores.accounts.snapshot()).toMatchObject({ seq: 1, keys: [] })
      expect(await stores.accounts.changes(1, 10)).toEqual([])
    })

    it('say who changed what, and no digest', async () => {
      await using stores = await openStores(await fresh())
      await stores.accounts.createProject({ id: 'p', name: 'P' }, by)
      await stores.accounts.createProject({ id: 'q', name: 'Q' }, by)
      await stores.accounts.createKey(keyFor('p', 'k', 'a'), by)
      await stores.accounts.addSecret(
        'k',
        { id: 's', digest: digestOf('b'), hint: 'last' },
        { actor: 'deploy', at: 2_000 },
      )
      const [added, made] = await stores.accounts.audit({ project: 'p', limit: 2 })
      expect(added).toMatchObject({
        seq: 4,
        at: 2_000,
        actor: 'deploy',
        action: 'key.add_secret',
        kind: 'key',
        id: 'k',
        project: 'p',
        before: { id: 'k', secrets: [] },
        after: { id: 'k', hint: 'wxyz', secrets: [{ id: 's', hint: 'last' }] },
      })
      expect(made).toMatchObject({ seq: 3, action: 'key.create', before: undefined })
      expect(JSON.stringify(await stores.accounts.audit({ limit: 100 }))).not.toMatch(/a{64}|b{64}/)
      expect(await stores.accounts.audit({ project: 'p', before: 3, limit: 9 })).toMatchObject([{ seq: 1 }])
      await stores.accounts.prune({ auditBefore: 2_000 })
      expect(await stores.accounts.audit({ limit: 9 })).toMatchObject([{ seq: 4 }])
    })

    it('have two live secrets at most, which a rotation lets overlap', async () => {
      await using stores = await openStores(await fresh())
      const { accounts } = stores
      await accounts.createProject({ id: 'p', name: 'P' }, by)
      await accounts.createKey(keyFor('p', 'k', 'a'), by)
      const secret = (id: string) => ({ id, digest: digestOf(id), hint: id })
      await accounts.addSecret('k', secret('1'), by)
      const rotated = await accounts.addSecret('k', secret('2'), by, { othersExpireAt: 3_000 })
      expect(rotated.secrets).toMatchObject([{ id: '1', expiresAt: 3_000 }, { id: '2' }])
      await expect(accounts.addSecret('k', secret('3'), { ...by, at: 2_999 })).rejects.toMatchObject({
        code: 'conflict',
      })
      const third = await accounts.addSecret('k', secret('3'), { ...by, at: 3_000 })
      expect(third.secrets.map(({ id }) => id)).toEqual(['2', '3'])
      await expect(accounts.removeSecret('k', '1', by)).rejects.toMatchObject({ code: 'not_found' })
      expect((await accounts.removeSecret('k', '2', by)).secrets).toHaveLength(1)
      await expect(accounts.addSecret('k', secret('3'), by)).rejects.toMatchObject({ code: 'conflict' })
    })

    it('have three JWT keys at most, and no private one', async () => {
      await using stores = await openStores(await fresh())
      const { accounts } = stores
      await accounts.createProject({ id: 'p', name: 'P' }, by)
      const jwtKey = (kid: string) => ({ kid, pem, label: 'l' })
      for (const kid of ['1', '2', '3']) await accounts.addJwtKey('p', jwtKey(kid), by)
      await expect(accounts.addJwtKey('p', jwtKey('3'), by)).rejects.toMatchObject({ code: 'conflict' })
      await expect(accounts.addJwtKey('p', jwtKey('4'), by)).rejects.toMatchObject({ code: 'conflict' })
      await accounts.removeJwtKey('p', '2', by)
      const secret = pem.replaceAll('PUBLIC', 'PRIVATE')
      const refused = accounts.addJwtKey('p', { ...jwtKey('4'), pem: secret }, by)
      await expect(refused).rejects.toMatchObject({ code: 'invalid', message: expect.not.stringContaining('AAAA') })
      expect((await accounts.addJwtKey('p', jwtKey('4'), by)).jwtKeys.map(({ kid }) => kid)).toEqual(['1', '3', '4'])
    })

    it('refuse what stands in the way of another record, or is missing', async () => {
      await using stores = await openStores(await fresh())
      const { accounts } = stores
      await accounts.putPlan({ id: 'plan', name: 'Plan', limits: {} }, by)
      await accounts.putPlan({ id: 'own', name: 'Own', limits: {} }, by)
      await accounts.createProject({ id: 'p', name: 'P', plan: 'plan' }, by)
      await accounts.createProject({ id: 'q', name: 'Q' }, by)
      await accounts.createKey({ ...keyFor('p', 'k', 'a'), plan: 'own' }, by)
      const conflicts = [
        () => accounts.createProject({ id: 'p', name: 'other' }, by),
        () => accounts.createProject({ id: 'r', name: 'P' }, by),
        () => accounts.updateProject('q', { name: 'P' }, by),
        () => accounts.createKey(keyFor('q', 'k', 'b'), by),
        () => accounts.createKey(keyFor('q', 'l', 'a'), by),
        () => accounts.removePlan('plan', by),
        () => accounts.removePlan('own', by),
      ]
      for (const work of conflicts) await expect(work()).rejects.toMatchObject({ code: 'conflict' })
      const missing = [
        () => accounts.updateProject('r', {}, by),
        () => accounts.updateProject('p', { plan: 'none' }, by),
        () => accounts.createKey(keyFor('r', 'l', 'b'), by),
        () => accounts.updateKey('l', {}, by),
        () => accounts.updateKey('k', { plan: 'none' }, by),
        () => accounts.removeKey('l', by),
        () => accounts.removeProject('r', by),
        () => accounts.removePlan('none', by),
      ]
      for (const work of missing) await expect(work()).rejects.toMatchObject({ code: 'not_found' })
      expect((await accounts.snapshot()).seq).toBe(5)
      await accounts.removeProject('p', by)
      await accounts.removePlan('plan', by)
      await accounts.createKey(keyFor('q', 'k', 'a'), by)
      await accounts.prune({ auditBefore: 9_000 })
      await expect(accounts.createProject({ id: 'p', name: 'P' }, by)).rejects.toMatchObject({ code: 'conflict' })
    })

    it('have plans of elsewhere only where a change says that these are there, and keep them in further changes', async () => {
      await using stores = await openStores(await fresh())
      const { accounts } = stores
      const further = { plans: new Set(['elsewhere']) }
      await accounts.createProject({ id: 'p', name: 'P', plan: 'elsewhere' }, by, further)
      await accounts.createKey(keyFor('p', 'k', 'a'), by)
      await accounts.updateKey('k', { plan: 'elsewhere' }, by, further)
      await accounts.updateProject('p', { name: 'Q' }, by)
      await accounts.addSecret('k', { id: 's', digest: 'b'.repeat(64), hint: 'bbbb' }, by)
      const { projects, keys } = await accounts.snapshot()
      expect([projects[0]!.plan, keys[0]!.plan]).toEqual(['elsewhere', 'elsewhere'])
      for (const work of [
        () => accounts.createProject({ id: 'r', name: 'R', plan: 'elsewhere' }, by),
        () => accounts.createKey({ ...keyFor('p', 'l', 'c'), plan: 'none' }, by, further),
      ]) {
        await expect(work()).rejects.toMatchObject({ code: 'not_found' })
      }
    })

    it('keep nothing but what was checked', async () => {
      await using stores = await openStores(await fresh())
      const { accounts } = stores
      await accounts.createProject({ id: 'p', name: 'P' }, by)
      const cyclic: Record<string, unknown> = {}
      cyclic['self'] = cyclic
      const refused: readonly object[] = [
        { name: '' },
        { name: 'a\nb' },
        { disabled: 1 },
        { rules: { methods: Array.from({ length: 31 }, () => 'm') } },
        { rules: { methods: [''] } },
        { rules: { verbs: ['a'] } },
        { rules: [] },
        { rules: { methods: ['\ud800'] } },
        { networks: 'mainnet' },
        { networks: Array.from({ length: 201 }, () => 'n') },
        { jwtAudience: '' },
        { jwtLeewayMs: -1 },
        { jwtLeewayMs: 600_001 },
        { jwtLeewayMs: 0.5 },
        { directives: { a: 1 } },
        { directives: { 'a b': '1' } },
        { directives: Object.fromEntries(Array.from({ length: 31 }, (_, i) => [`d${i}`, ''])) },
        { limits: { a: Number.NaN } },
        { limits: { a: 1n } },
        { limits: { a: [undefined] } },
        { limits: { a: 'x'.repeat(16_384) } },
        { limits: cyclic },
        { limits: new Map() },
      ]
      for (const fields of refused) {
        await expect(accounts.updateProject('p', fields, by)).rejects.toMatchObject({ code: 'invalid' })
      }
      for (const id of ['', 'a b', 'a/b', 'x'.repeat(129)]) {
        await expect(accounts.createProject({ id, name: 'X' }, by)).rejects.toMatchObject({ code: 'invalid' })
      }
      for (const key of [{ digest: 'AB'.repeat(32) }, { digest: 'secret' }, { hint: 'more than eight' }]) {
        const made = accounts.createKey({ ...keyFor('p', 'k', 'a'), ...key }, by)
        await expect(made).rejects.toMatchObject({ code: 'invalid', message: expect.not.stringContaining('secret"') })
      }
      for (const author of [
        { actor: '', at: 1 },
        { actor: 'a', at: 1.5 },
      ]) {
        await expect(accounts.removeProject('p', author)).rejects.toMatchObject({ code: 'invalid' })
      }
      expect((await failureOf(accounts.changes(-1, 10))).message).toBe('after: expected a whole number, 0 or more')
      const changed = { id: 'q', createdAt: 7, jwtKeys: 'x', other: 1, disabled: true }
      expect(await accounts.updateProject('p', changed, by)).toMatchObject({ id: 'p', createdAt: 1_000, jwtKeys: [] })
      expect((await accounts.snapshot()).seq).toBe(2)
    })

    it('lose what is set to undefined', async () => {
      await using stores = await openStores(await fresh())
      const { accounts } = stores
      const limits = { perDay: { credits: 5, action: undefined } }
      await accounts.createProject({ id: 'p', name: 'P', limits, networks: ['n'], jwtAudience: 'a' }, by)
      const key = await accounts.createKey({ ...keyFor('p', 'k', 'a'), expiresAt: 9, limits }, by)
      expect(key).toHaveProperty('limits', { perDay: { credits: 5 } })
      const bare = await accounts.updateProject(
        'p',
        { limits: undefined, networks: undefined, jwtAudience: undefined },
        by,
      )
      expect(Object.keys(bare)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/limits|networks|jwtAudience/)]),
      )
      expect(await accounts.project('p')).toStrictEqual(bare)
      const changed = await accounts.updateKey('k', { expiresAt: undefined, limits: undefined }, by)
      expect(await accounts.changes(3, 1)).toStrictEqual([{ seq: 4, kind: 'key', key: changed }])
      expect(Object.keys(changed)).not.toContain('expiresAt')
      expect(await accounts.key('k')).toStrictEqual(changed)
    })

    it('say that a row is not what was written', async () => {
      const options = await fresh()
      await using stores = await openStores(options)
      await stores.accounts.createProject({ id: 'p', name: 'P' }, by)
      await execute(options, `update account_projects set rules = '{"methods'`)
      await expect(stores.accounts.snapshot()).rejects.toMatchObject({ code: 'corrupt' })
    })

    it('note when keys were used last, whatever the order of the notes', async () => {
      await using stores = await openStores(await fresh())
      const { accounts } = stores
      await accounts.createProject({ id: 'p', name: 'P' }, by)
      const ids = Array.from({ length: 450 }, (_, i) => `k${i}`)
      await accounts.createKey(keyFor('p', 'k0', 'a'), by)
      await accounts.touch([...ids.map((keyId) => ({ keyId, usedAt: 50 })), { keyId: 'k0', usedAt: 40 }])
      await accounts.touch([
        { keyId: 'k1', usedAt: 60 },
        { keyId: 'k2', usedAt: 49 },
      ])
      const used = await accounts.lastUsed(['k0', 'k1', 'k2', 'k449', 'none'])
      expect(Object.fromEntries(used)).toEqual({ k0: 50, k1: 60, k2: 50, k449: 50 })
      expect((await accounts.snapshot()).seq).toBe(2)
      await accounts.prune({ auditBefore: 0 })
      expect(Object.fromEntries(await accounts.lastUsed(ids))).toEqual({ k0: 50 })
    })

    it('are followed by every process, each change once and in order, while several write', async () => {
      const options = await fresh()
      const stores = await Promise.all([openStores(options), openStores(options), openStores(options)])
      const seen: AccountChange[] = []
      const snapshots: number[] = []
      const follower = stores[2].accounts.follow({
        onSnapshot: ({ seq }) => snapshots.push(seq),
        onChange: (change) => seen.push(change),
        everyMs: 1,
      })
      await until(() => follower.seq === 0)
      const writes = Array.from({ length: 40 }, (_, i) =>
        stores[i % 2]!.accounts.createProject({ id: `p${i}`, name: `P${i}` }, by),
      )
      await Promise.all(writes)
      await until(() => seen.length >= 40)
      expect(seen.map(({ seq }) => seq)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1))
      expect(new Set(seen.map((change) => change.kind === 'project' && change.project.id)).size).toBe(40)
      expect(snapshots).toEqual([0])
      expect(follower.staleMs()).toBeGreaterThanOrEqual(0)
      await follower.close()
      await Promise.all(stores.map((each) => each.close()))
    })

    it('are told on request with all that was changed before it, also while a read runs', async () => {
      const options = await fresh()
      await using one = await openStores(options)
      await using two = await openStores(options)
      const reported: number[] = []
      await using follower = two.accounts.follow({
        onSnapshot: () => {},
        onChange: ({ seq }) => reported.push(seq),
        everyMs: 1e8,
      })
      await follower.refresh()
      expect(follower.seq).toBe(0)
      for (let seq = 1; seq <= 20; seq++) {
        // A read that may have begun before the change.
        const before = seq % 2 === 0 ? follower.refresh() : undefined
        await one.accounts.createProject({ id: `p${seq}`, name: `P${seq}` }, by)
        await follower.refresh()
        expect(reported.at(-1)).toBe(seq)
        await before
      }
      await follower.close()
      await follower.refresh()
    })

    it('are read anew as a whole where the follower was away for too long', async () => {
      const options = await fresh()
      await using stores = await openStores(options)
      await using follower = followQuietly(stores)
      await until(() => follower.follower.seq === 0)
      await stores.accounts.createProject({ id: 'a', name: 'a' }, by)
      await execute(options, 'update account_feed set seq = 20000')
      await stores.accounts.createProject({ id: 'b', name: 'b' }, by)
      await until(() => follower.follower.seq === 20_001)
      // It may have seen the gap before the last change, which then came by itself.
      expect([...follower.projects.at(-1)!, ...follower.reported.map((seq) => (seq > 20_000 ? 'b' : ''))]).toContain(
        'b',
      )
      expect(follower.projects.at(-1)).toContain('a')
      expect(follower.projects.length).toBeGreaterThan(1)
    })

    it('are told no more once the follower is closed', async () => {
      await using stores = await openStores(await fresh())
      const { follower, reported, [Symbol.asyncDispose]: close } = followQuietly(stores)
      await until(() => follower.seq === 0)
      await close()
      await stores.accounts.createProject({ id: 'a', name: 'a' }, by)
      expect(reported).toEqual([])
      expect(follower.seq).toBe(0)
    })
  })
}

function followQuietly(stores: Stores) {
  const projects: (readonly string[])[] = []
  const reported: number[] = []
  const follower = stores.accounts.follow({
    everyMs: 1,
    onSnapshot: (snapshot) => projects.push(snapshot.projects.map(({ id }) => id)),
    onChange: ({ seq }) => reported.push(seq),
  })
  return { follower, projects, reported, [Symbol.asyncDispose]: () => follower.close() }
}
