import { DatabaseSync } from 'node:sqlite'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type AccountEvent, createApiKey, createAuthenticator, hintOf } from '@wayleave/auth'
import { createLog, ConfigError, type ProjectConfig, realSurroundings, namedProjects } from '@wayleave/gateway'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { type AccountFollower, type FollowOptions, openStores, type Stores, StoresError } from '@wayleave/stores'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openAccounts } from '../../src/accounts/accounts.ts'
import type { AccountSource } from '../../src/store.ts'
import { rejectionOf, until } from '../support.ts'

const { sha256 } = realSurroundings
const by = { actor: 'test', at: 1 }
const ownKey = 'a-key-of-the-configuration'
const own: readonly ProjectConfig[] = [{ name: 'own', keys: [{ key: ownKey }] }]

/** Adds a key to a project of a store. */
async function addKey({ accounts }: Stores, projectId: string, key: string, id = key.slice(-8)): Promise<string> {
  await accounts.createKey({ id, projectId, digest: sha256(key), hint: hintOf(key) }, by)
  return id
}

interface Scene {
  readonly projects?: readonly ProjectConfig[]
  /** Fills the store before the accounts are opened. */
  readonly fill?: (stores: Stores) => Promise<unknown>
}

/** Accounts over a real store, by a clock that the test advances. */
async function begin({ projects = own, fill }: Scene = {}) {
  const stores = await openStores({ sqlite: ':memory:' })
  onTestFinished(() => stores.close())
  await fill?.(stores)
  const clock = new FakeClock()
  const lines: Record<string, unknown>[] = []
  const log = createLog({ level: 'warn', destination: { write: (line) => void lines.push(JSON.parse(line)) }, clock })
  const away: { why?: string } = {}
  const touched: string[] = []
  const store: AccountSource = {
    path: 'store.sqlite',
    fault: () => away.why,
    follow: stores.accounts.follow,
    async touch(uses) {
      await stores.accounts.touch(uses)
      touched.push(...uses.map(({ keyId }) => keyId))
    },
  }
  const accounts = await openAccounts({ projects: namedProjects({ projects }), store, sha256, clock, log })
  onTestFinished(() => accounts.close())
  const events: AccountEvent[] = []
  accounts.onEvent((event) => events.push(event))
  const authenticate = createAuthenticator({ keys: accounts.keys, sha256, now: () => clock.date() })
  return {
    stores,
    clock,
    lines,
    away,
    touched,
    accounts,
    events,
    authenticate,
    /** The id of a key's project. */
    projectOf: (key: string) => accounts.keys.find(sha256(key))?.project.id,
    /** Has the store read until `holds`. */
    follow: (holds: () => boolean) =>
      until(() => {
        clock.advance(250)
        return holds()
      }),
  }
}

describe('the accounts of a gateway', () => {
  it('are those of its configuration alone where nothing outlasts it', async () => {
    const clock = new FakeClock()
    const log = createLog({ level: 'silent' })
    const projects = namedProjects({ projects: own })
    const accounts = await openAccounts({ projects, store: undefined, sha256, clock, log })
    expect(accounts.keys.find(sha256(ownKey))?.project.id).toBe('own')
    expect([accounts.watch, clock.timers]).toEqual([undefined, 0])
    await accounts.close()
  })

  it('are known from the store when they are opened, and follow it', async () => {
    const key = createApiKey()
    const later = createApiKey()
    const { stores, projectOf, follow, events, lines } = await begin({
      async fill(filled) {
        await filled.accounts.createProject({ id: 'shop', name: 'Shop' }, by)
        await addKey(filled, 'shop', key)
      },
    })
    expect([projectOf(key), projectOf(ownKey), projectOf(later)]).toEqual(['shop', 'own', undefined])
    await addKey(stores, 'shop', later, 'later')
    await follow(() => projectOf(later) === 'shop')
    await stores.accounts.updateKey('later', { disabled: true }, by)
    await follow(() => projectOf(later) === undefined)
    expect(events).toEqual([{ kind: 'revoked', projectId: 'shop', keyId: 'later' }])
    expect(lines).toEqual([])
  })

  it('that the configuration and the store both have are an error that names projects, and no key', async () => {
    const projects = [
      { name: 'first', keys: [{ key: 'another-key-of-its-own' }] },
      { name: 'second', id: 'shop', keys: [{ key: 'yet-another-key' }, { key: ownKey }] },
    ]
    const error = await rejectionOf(
      begin({
        projects,
        async fill(filled) {
          await filled.accounts.createProject({ id: 'shop', name: 'Shop' }, by)
          await filled.accounts.createProject({ id: 'other', name: 'Other' }, by)
          await addKey(filled, 'other', ownKey)
        },
      }),
    )
    expect(error).toBeInstanceOf(ConfigError)
    expect(error.message).toBe(
      'projects[1]: expected a project that the store does not have, got "shop"\n' +
        'projects[1].keys[1]: expected a key that the store does not have, got one of its project "other"',
    )
  })

  it('that the configuration has, and the store later, are left out of the store, each with a line', async () => {
    const key = createApiKey()
    const { stores, projectOf, follow, events, lines } = await begin({
      fill: ({ accounts }) => accounts.createProject({ id: 'shop', name: 'Shop' }, by),
    })
    await stores.accounts.createProject({ id: 'own', name: 'Usurper' }, by)
    await addKey(stores, 'own', key, 'usurped')
    await addKey(stores, 'shop', ownKey, 'doubled')
    await follow(() => lines.length === 2)
    expect(lines).toMatchObject([
      { level: 50, project: 'own', msg: 'a project of the store is left out: the configuration has its id' },
      { level: 50, project: 'shop', keyId: 'doubled', msg: 'a key of the store is left out: the configuration has it' },
    ])
    expect([projectOf(key), projectOf(ownKey)]).toEqual([undefined, 'own'])
    // Changes of the store's rows leave those of the configuration alone.
    await stores.accounts.removeKey('doubled', by)
    await stores.accounts.removeProject('own', by)
    const last = createApiKey()
    await addKey(stores, 'shop', last)
    await follow(() => projectOf(last) === 'shop')
    expect(projectOf(ownKey)).toBe('own')
    expect(events.filter(({ projectId }) => projectId === 'own')).toEqual([])
    expect(JSON.stringify(lines)).not.toMatch(new RegExp(`${ownKey}|${key}|${sha256(ownKey)}`))
  })

  it('tell of a key of the store that another configuration has, too: what it has open is of another project', async () => {
    const fill = async (stores: Stores): Promise<unknown> => {
      await stores.accounts.createProject({ id: 'stored', name: 'stored' }, by)
      return addKey(stores, 'stored', 'a-key-of-the-store', 'taken')
    }
    const { accounts, events } = await begin({ fill })
    const next = [{ name: 'own', keys: [{ key: ownKey }, { key: 'a-key-of-the-store' }] }]
    const { commit } = accounts.prepare(namedProjects({ projects: next }))
    expect(events).toEqual([])
    commit()
    expect(events).toEqual([{ kind: 'changed', projectId: 'stored', keyId: 'taken' }])
    expect(accounts.keys.find(sha256('a-key-of-the-store'))!.project.id).toBe('own')
  })

  it('of a project that leaves the configuration are those that the store has by then', async () => {
    const [good, bad, rotated, later] = [createApiKey(), createApiKey(), createApiKey(), createApiKey()]
    const { stores, accounts, projectOf, follow, events } = await begin({
      async fill(filled) {
        await filled.accounts.createProject({ id: 'shop', name: 'Shop' }, by)
        for (const [key, id] of [
          [good, 'good'],
          [bad, 'bad'],
          [rotated, 'rotated'],
        ] as const)
          await addKey(filled, 'shop', key, id)
      },
    })
    const take = (projects: readonly ProjectConfig[]): void => accounts.prepare(namedProjects({ projects })).commit()
    take([...own, { name: 'shop', keys: [{ key: 'a-key-of-the-configured-shop' }] }])
    expect([good, bad, rotated].map(projectOf)).toEqual([undefined, undefined, undefined])
    events.length = 0
    await stores.accounts.updateKey('bad', { disabled: true }, by)
    await stores.accounts.removeKey('rotated', by)
    await stores.accounts.updateKey('good', { limits: { perDay: { credits: 7 } } }, by)
    await addKey(stores, 'shop', later, 'later')
    // Another project's key tells that the changes before it were read.
    const other = createApiKey()
    await stores.accounts.createProject({ id: 'other', name: 'Other' }, by)
    await addKey(stores, 'other', other)
    await follow(() => projectOf(other) === 'other')
    expect([good, later].map(projectOf)).toEqual([undefined, undefined])
    expect(events).toEqual([])
    take(own)
    expect([good, bad, rotated, later].map(projectOf)).toEqual(['shop', undefined, undefined, 'shop'])
    const caller = { project: { id: 'shop', name: 'Shop', requireSecret: false }, keyId: 'good' }
    expect(accounts.limitsOf(caller)!.key).toEqual({ perDay: { credits: 7 } })
  })

  it('of the store that the configuration has, too, do not stand in for one that it disables', async () => {
    const { stores, accounts, projectOf, follow, lines } = await begin({
      projects: [{ name: 'own', keys: [{ key: ownKey, disabled: true }] }],
      fill: ({ accounts: filled }) => filled.createProject({ id: 'shop', name: 'Shop' }, by),
    })
    await addKey(stores, 'shop', ownKey, 'doubled')
    await follow(() => lines.length === 1)
    expect(projectOf(ownKey)).toBeUndefined()
    accounts.prepare([]).commit()
    expect(projectOf(ownKey)).toBe('shop')
  })

  it('have the limits of the store: of key and project, their own or those of their plan', async () => {
    const key = createApiKey()
    const { stores, follow, accounts, projectOf } = await begin({
      async fill(filled) {
        await filled.accounts.putPlan({ id: 'small', name: 'Small', limits: { perDay: { credits: 1 } } }, by)
        await filled.accounts.createProject({ id: 'shop', name: 'Shop', plan: 'small' }, by)
        await addKey(filled, 'shop', key, 'k')
      },
    })
    const limits = (id = 'shop') => accounts.limitsOf({ project: { id, name: id, requireSecret: false }, keyId: 'k' })
    expect(limits()).toEqual({ key: undefined, project: { perDay: { credits: 1 } } })
    expect(limits()!.project).toBe(limits()!.project)
    expect(limits('own')).toBeUndefined()
    await stores.accounts.putPlan({ id: 'small', name: 'Small', limits: { perDay: { credits: 2 } } }, by)
    await stores.accounts.updateKey('k', { limits: { perSecond: { credits: 5 } } }, by)
    await follow(() => limits()!.key !== undefined)
    expect(limits()).toEqual({ key: { perSecond: { credits: 5 } }, project: { perDay: { credits: 2 } } })
    await stores.accounts.updateProject('shop', { plan: undefined }, by)
    await stores.accounts.removePlan('small', by)
    await stores.accounts.removeProject('shop', by)
    await follow(() => projectOf(key) === undefined)
    expect(limits()).toEqual({ key: undefined, project: undefined })
  })

  it('that cannot be read by their meaning are told, and hold nothing up', async () => {
    const [broken, good] = [createApiKey(), createApiKey()]
    const { stores, projectOf, follow, lines } = await begin({
      async fill(filled) {
        await filled.accounts.createProject({ id: 'bad', name: 'Bad', rules: { sources: ['nowhere'] } }, by)
        await addKey(filled, 'bad', broken)
      },
    })
    expect(lines).toMatchObject([{ level: 50, msg: 'an account of the store cannot be used' }])
    expect(lines[0]!['reason']).toMatch(/^project "bad": .*; it is refused until this is mended$/)
    expect(projectOf(broken)).toBeUndefined()
    await stores.accounts.createProject({ id: 'good', name: 'Good' }, by)
    await addKey(stores, 'good', good)
    await follow(() => projectOf(good) === 'good')
    await stores.accounts.updateProject('bad', { rules: {} }, by)
    await follow(() => projectOf(broken) === 'bad')
  })
})

describe('the uses of keys', () => {
  const key = createApiKey()
  const fill = async (stores: Stores): Promise<void> => {
    await stores.accounts.createProject({ id: 'shop', name: 'Shop' }, by)
    await addKey(stores, 'shop', key, 'k')
  }

  it('are noted every ten seconds, and at the end, for keys of the store', async () => {
    const { stores, clock, touched, authenticate, accounts } = await begin({ fill })
    await authenticate(ownKey, undefined)
    for (let i = 0; i < 3; i++) await authenticate(key, undefined)
    clock.advance(9_999)
    expect(touched).toEqual([])
    clock.advance(1)
    await until(() => touched.length > 0)
    expect((await stores.accounts.lastUsed(['k'])).get('k')).toBe(clock.date())
    clock.advance(500)
    await authenticate(key, undefined)
    await accounts.close()
    expect(touched).toEqual(['k', 'k'])
    expect((await stores.accounts.lastUsed(['k'])).get('k')).toBe(clock.date())
    expect(clock.timers).toBe(0)
  })

  it('wait where they are while the store is away', async () => {
    const { clock, away, touched, authenticate } = await begin({ fill })
    away.why = 'its disk is full'
    await authenticate(key, undefined)
    for (let i = 0; i < 5; i++) {
      clock.advance(10_000)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(touched).toEqual([])
    delete away.why
    await until(() => {
      clock.advance(10_000)
      return touched.length > 0
    })
    expect(touched).toEqual(['k'])
  })
})

/** Accounts over a store that is as the test says. */
async function beginWithout(answer: (options: FollowOptions) => void) {
  const clock = new FakeClock()
  const lines: Record<string, unknown>[] = []
  const log = createLog({ level: 'warn', destination: { write: (line) => void lines.push(JSON.parse(line)) }, clock })
  let options: FollowOptions | undefined
  let readAt = clock.now()
  let isClosed = false
  const follower: AccountFollower = {
    seq: 0,
    staleMs: () => clock.now() - readAt,
    refresh: async () => {},
    close: async () => void (isClosed = true),
    [Symbol.asyncDispose]: async () => {},
  }
  const store: AccountSource = {
    path: 'store.postgres',
    fault: () => undefined,
    touch: async () => {},
    follow(given) {
      options = given
      answer(given)
      return follower
    },
  }
  const opening = openAccounts({ projects: namedProjects({ projects: own }), store, sha256, clock, log })
  return { clock, lines, opening, options: options!, read: () => (readAt = clock.now()), isClosed: () => isClosed }
}

const unreachable = new StoresError('unavailable', 'the PostgreSQL database host/db cannot be used', {
  fault: 'unreachable',
})

describe('a store that goes away', () => {
  it('leaves the accounts as they are; their age is told within two seconds, and its end', async () => {
    const { clock, lines, opening, options, read } = await beginWithout(({ onSnapshot }) =>
      onSnapshot({ seq: 0, plans: [], projects: [], keys: [] }),
    )
    const { keys, watch } = await opening
    expect(watch!.fault()).toBeUndefined()
    options.onFailure!(unreachable)
    clock.advance(1_499)
    expect(watch!.fault()).toBeUndefined()
    clock.advance(500)
    expect(watch!.fault()).toBe('accounts stale for 1 s')
    clock.advance(58_001)
    expect(watch!.fault()).toBe('accounts stale for 60 s')
    expect(keys.find(sha256(ownKey))?.project.id).toBe('own')
    read()
    options.onFailure!(undefined)
    expect(watch!.fault()).toBeUndefined()
    expect(lines).toMatchObject([
      { level: 40, code: 'unavailable', msg: 'accounts cannot be read; those that are known serve on' },
      { level: 40, msg: 'accounts are read again' },
    ])
  })

  it('before it was read is an error at the start, and is followed no longer', async () => {
    const { opening, isClosed } = await beginWithout(({ onFailure }) => onFailure!(unreachable))
    const error = await rejectionOf(opening)
    expect(error).toBeInstanceOf(ConfigError)
    expect(error).toMatchObject({
      message:
        'store.postgres: expected a store that can be opened, got one that is unavailable: the PostgreSQL database host/db cannot be used; ' +
        'nothing here has to be changed: start again once it can be used',
      isTemporary: true,
    })
    expect(isClosed()).toBe(true)
  })
})

it('250,000 distinct unknown keys cost no query, and no memory', async () => {
  const key = createApiKey()
  const { authenticate } = await begin({
    async fill(stores) {
      await stores.accounts.createProject({ id: 'shop', name: 'Shop' }, by)
      await addKey(stores, 'shop', key)
    },
  })
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const heap = (): number => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare')
  let found = 0
  let tries = 0
  const guess = (most: number): void => {
    while (tries < most) {
      const result = authenticate(`wl_${String(tries++).padStart(28, '0')}`, undefined)
      if (result instanceof Promise || result.failure !== 'unknown_key') found++
    }
  }
  try {
    guess(50_000)
    const before = heap()
    guess(250_000)
    expect(heap() - before).toBeLessThan(500_000)
    expect([found, prepare.mock.calls.length]).toEqual([0, 0])
    expect(await authenticate(key, undefined)).toMatchObject({ project: { id: 'shop' } })
  } finally {
    prepare.mockRestore()
  }
})
