import { generateKeyPairSync } from 'node:crypto'
import {
  type AccountEvent,
  createApiKey,
  createApiSecret,
  createAuthenticator,
  createKeyDirectory,
  hintOf,
  type KeyDirectory,
  printBasic,
  type RuleEntries,
  sha256Hex,
} from '@wayleave/auth'
import { type AccountFollower, openStores, type Stores } from '@wayleave/stores'
import { expect, it } from 'vitest'

const by = { actor: 'ops', at: 1_000 }

/** All that a host writes to have `auth` know the accounts of a store. */
function followInto(directory: KeyDirectory, { accounts }: Stores): AccountFollower {
  return accounts.follow({
    everyMs: 1,
    onSnapshot: directory.replace,
    onChange(change) {
      if (change.kind !== 'plan' && change.kind !== 'plan_removed') directory.apply(change)
    },
  })
}

it('lets accounts be followed by the key directory, which authenticates by them', async () => {
  await using stores = await openStores({ sqlite: ':memory:' })
  const { accounts } = stores
  const invalid: string[] = []
  const events: AccountEvent[] = []
  const directory = createKeyDirectory({ onInvalid: ({ message }) => invalid.push(message), now: () => 5_000 })
  directory.onEvent((event) => events.push(event))
  await using follower = followInto(directory, stores)
  const caughtUp = () => expect.poll(() => follower.seq, { interval: 5 }).toBe(expected)
  let expected = 0

  const [open, closed, gone] = [createApiKey(), createApiKey(), createApiKey()]
  const secrets = [createApiSecret(), createApiSecret()] as const
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string
  const rules: RuleEntries = { methods: ['eth_call'], origins: ['https://*.example.com'], sources: ['10.0.0.0/8'] }
  await accounts.putPlan({ id: 'team', name: 'Team', limits: {} }, by)
  await accounts.createProject(
    { id: 'a', name: 'A', plan: 'team', networks: ['mainnet'], rules, directives: { 'max-lag': '3' } },
    by,
  )
  await accounts.createProject({ id: 'b', name: 'B', requireSecret: true, secretBypassesRules: true }, by)
  await accounts.addJwtKey('a', { kid: 'one', pem }, by)
  for (const [id, projectId, key] of [
    ['k1', 'a', open],
    ['k2', 'b', closed],
    ['k3', 'b', gone],
  ] as const) {
    await accounts.createKey({ id, projectId, digest: sha256Hex(key), hint: hintOf(key), label: id }, by)
  }
  for (const [id, secret] of secrets.entries()) {
    await accounts.addSecret('k2', { id: `s${id}`, digest: sha256Hex(secret), hint: hintOf(secret) }, by)
  }
  expected = 9
  await caughtUp()

  const authenticate = createAuthenticator({ keys: directory, now: () => 5_000 })
  expect(await authenticate(open, undefined)).toMatchObject({
    keyId: 'k1',
    project: {
      id: 'a',
      plan: 'team',
      networks: ['mainnet'],
      directives: { 'max-lag': '3' },
      jwtKeys: [{ kid: 'one', alg: 'ES256' }],
      rules: { methods: new Set(['eth_call']) },
    },
  })
  expect(await authenticate(closed, undefined)).toMatchObject({ failure: 'secret_required' })
  for (const secret of secrets) {
    expect(await authenticate(closed, printBasic('', secret))).toMatchObject({ keyId: 'k2', project: { id: 'b' } })
  }
  await accounts.touch(directory.takeUsed())
  expect(await accounts.lastUsed(['k1', 'k2', 'k3'])).toEqual(new Map(['k1', 'k2'].map((id) => [id, 5_000])))

  events.length = 0
  await accounts.updateKey('k1', { label: 'web', limits: { perSecond: { credits: 5 } } }, by)
  await accounts.updateKey('k1', { disabled: true }, by)
  await accounts.removeKey('k3', by)
  await accounts.removeProject('b', by)
  expected = 13
  await caughtUp()
  for (const key of [open, closed, gone]) {
    expect(await authenticate(key, undefined)).toMatchObject({ failure: 'revoked' })
  }
  expect(events).toEqual([
    { kind: 'amended', projectId: 'a', keyId: 'k1' },
    { kind: 'revoked', projectId: 'a', keyId: 'k1' },
    { kind: 'revoked', projectId: 'b', keyId: 'k3' },
    { kind: 'revoked', projectId: 'b', keyId: undefined },
  ])
  expect(invalid).toEqual([])
})

it('reads a snapshot and changes as the same rows, so that nothing counts as changed that was read anew', async () => {
  await using stores = await openStores({ sqlite: ':memory:' })
  const { accounts } = stores
  const snapshot = await accounts.snapshot()
  const directory = createKeyDirectory({ snapshot, onInvalid: ({ message }) => expect.unreachable(message) })
  const events: AccountEvent[] = []
  directory.onEvent((event) => events.push(event))
  await accounts.createProject({ id: 'p', name: 'P', jwtAudience: 'us', limits: { perDay: { credits: 1 } } }, by)
  await accounts.createKey({ id: 'k', projectId: 'p', digest: sha256Hex('key'), hint: '', expiresAt: 9_000 }, by)
  await accounts.addSecret('k', { id: 's', digest: sha256Hex('secret'), hint: '', expiresAt: 8_000 }, by)
  for (const change of (await accounts.changes(0, 10))!) {
    if (change.kind !== 'plan' && change.kind !== 'plan_removed') expect(directory.apply(change)).toBe(true)
  }
  events.length = 0
  directory.replace(await accounts.snapshot())
  expect([directory.seq, events]).toEqual([3, []])
})
