import { expect, it } from 'vitest'
import { openFixture } from './support/fixture.ts'

const storesError = (code: string, fault?: string): Error =>
  Object.assign(new Error('SQLite file "/secret/place" is away'), { name: 'StoresError', code, fault })

it('a store that is away is 503 with Retry-After and the kind of fault, without the place of the file', async () => {
  for (const [code, fault] of [
    ['unavailable', 'deleted'],
    ['closed', undefined],
  ] as const) {
    await using fixture = await openFixture(undefined, ({ accounts }) => ({
      accounts: { ...accounts, projects: () => Promise.reject(storesError(code, fault)) },
    }))
    const { status, headers, body, text } = await fixture.ask('GET /projects')
    expect([status, body.code, headers['retry-after']]).toEqual([503, 'unavailable', '2'])
    if (fault !== undefined) expect(body.detail).toContain(fault)
    expect(text).not.toContain('/secret/place')
    expect(fixture.failures).toEqual([])
  }
})

it('a store that is closed in earnest is 503, too', async () => {
  await using fixture = await openFixture()
  await fixture.stores.close()
  for (const what of ['GET /projects', 'GET /usage', 'GET /audit', 'DELETE /plans/x']) {
    expect([what, (await fixture.ask(what)).status]).toEqual([what, 503])
  }
})

it('any other fault is 500, told to the log with its id and the route, and to the caller with the id alone', async () => {
  const seen: { error: unknown; route: string; id: string }[] = []
  for (const thrown of [
    new TypeError('secret detail'),
    storesError('corrupt', 'damaged'),
    'secret detail',
    undefined,
  ]) {
    await using fixture = await openFixture(undefined, ({ accounts }) => ({
      accounts: { ...accounts, key: () => Promise.reject(thrown) },
      onFailure: (failure) => seen.push(failure),
    }))
    const { status, text } = await fixture.ask('GET /projects/shop/keys/k')
    expect(status).toBe(500)
    expect(text).not.toMatch(/secret/)
    expect(seen.at(-1)).toMatchObject({ error: thrown, route: 'GET /projects/{project}/keys/{key}' })
    expect(text).toContain(seen.at(-1)!.id)
  }
  expect(seen.length).toBe(4)
})

it('a log that throws does not keep the answer back', async () => {
  await using fixture = await openFixture(undefined, ({ accounts }) => ({
    accounts: { ...accounts, key: () => Promise.reject(new Error('x')) },
    onFailure: () => {
      throw new Error('the log is full')
    },
  }))
  expect((await fixture.ask('GET /projects/shop/keys/k')).status).toBe(500)
})

it('a rotation that fails takes its new key back, and leaves the old one as it was', async () => {
  let isAway = false
  await using fixture = await openFixture(undefined, ({ accounts }) => ({
    accounts: {
      ...accounts,
      updateKey: (id, changes, by) =>
        isAway ? Promise.reject(storesError('unavailable')) : accounts.updateKey(id, changes, by),
    },
  }))
  const { ask } = fixture
  await ask('POST /projects', { body: { id: 'shop', name: 'Shop' } })
  await ask('POST /projects/shop/keys', { body: { id: 'k' } })
  isAway = true
  expect((await ask('POST /projects/shop/keys/k/rotate')).status).toBe(503)
  expect((await fixture.stores.accounts.snapshot()).keys).toMatchObject([{ id: 'k', disabled: false }])
})

it('a rotation never makes the old key live longer than it would have', async () => {
  await using fixture = await openFixture()
  const { ask, clock } = fixture
  await ask('POST /projects', { body: { id: 'shop', name: 'Shop' } })
  await ask('POST /projects/shop/keys', { body: { id: 'k', expiresAt: clock.now + 10 } })
  const { body } = await ask('POST /projects/shop/keys/k/rotate', { body: { overlapSeconds: 60 } })
  expect(body.old.expiresAt).toBe(clock.now + 10)
  expect(body.created).not.toHaveProperty('expiresAt')
})

it('without networks, their routes are 404 that says where to ask', async () => {
  await using fixture = await openFixture(undefined, { networks: undefined })
  for (const what of ['GET /networks', 'PUT /networks/a/upstreams/b/cordon']) {
    const { status, body } = await fixture.ask(what)
    expect([status, body.detail]).toEqual([404, expect.stringContaining('running gateway')])
  }
})

it('without IPFS, pins are 503 that names the configuration, and the other parts of a gateway 404', async () => {
  const ipfs = { pins: undefined, verification: undefined }
  const nothing = { ...ipfs, gas: undefined, streams: undefined, methods: undefined, replay: undefined }
  await using fixture = await openFixture(undefined, nothing)
  for (const what of ['GET /ipfs/fixed/pins', 'GET /ipfs/verify', 'POST /ipfs/verify']) {
    const { status, body } = await fixture.ask(what)
    expect([what, status, body.detail]).toEqual([what, 503, expect.stringContaining('ipfs')])
  }
  for (const what of ['GET /gas', 'GET /gas/mainnet', 'GET /streams', 'GET /openrpc/evm', 'POST /replay']) {
    expect([what, (await fixture.ask(what)).status]).toEqual([what, 404])
  }
})

it('a revocation is answered only after the store has confirmed it', async () => {
  const order: string[] = []
  let confirm = (): void => {}
  const confirmed = new Promise<void>((resolve) => (confirm = resolve))
  await using fixture = await openFixture(undefined, ({ accounts }) => ({
    accounts: {
      ...accounts,
      async removeKey(id, by) {
        await accounts.removeKey(id, by)
        await confirmed
        order.push('confirmed')
      },
    },
  }))
  const { ask } = fixture
  await ask('POST /projects', { body: { id: 'shop', name: 'Shop' } })
  await ask('POST /projects/shop/keys', { body: { id: 'k' } })
  const answered = ask('DELETE /projects/shop/keys/k').then(({ status }) => order.push(`answered ${status}`))
  await expect.poll(() => fixture.stores.accounts.key('k'), { interval: 1 }).toBeUndefined()
  expect(order).toEqual([])
  confirm()
  await answered
  expect(order).toEqual(['confirmed', 'answered 204'])
})
