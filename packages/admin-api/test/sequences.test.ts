import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Fixture, hash, type Loose, newPem, openFixture } from './support/fixture.ts'

const projects = ['a', 'b', 'fixed']
const keys = ['k1', 'k2', 'k3', 'fixed-key']
const plans = ['p', 'q', 'fixed-plan']
const pems = [newPem(), newPem()]
const texts = Array.from({ length: 3 }, (_, i) => `a-key-of-elsewhere-${i}`)

/** One request, with ids from few, so that they meet. */
const step = fc.oneof(
  fc.record({
    what: fc.constant('POST /projects'),
    body: fc.record({ id: fc.constantFrom(...projects), name: fc.constantFrom('A', 'B') }),
  }),
  fc.record({
    what: fc.constantFrom(...projects).map((id) => `PATCH /projects/${id}`),
    body: fc.record(
      {
        name: fc.constantFrom('A', 'B', 'C'),
        disabled: fc.boolean(),
        plan: fc.constantFrom(...plans, null),
        rules: fc.constantFrom({}, { methods: ['eth_call'] }, { methods: ['a b'] }),
        networks: fc.constantFrom(null, ['mainnet']),
      },
      { requiredKeys: [] },
    ),
  }),
  fc.record({ what: fc.constantFrom(...projects).map((id) => `DELETE /projects/${id}`), body: fc.constant(undefined) }),
  fc.record({
    what: fc.constantFrom(...projects).map((id) => `POST /projects/${id}/keys`),
    body: fc.record(
      { id: fc.constantFrom(...keys), key: fc.constantFrom(...texts), plan: fc.constantFrom(...plans) },
      { requiredKeys: ['id'] },
    ),
  }),
  fc.record({
    what: fc
      .tuple(fc.constantFrom('PATCH', 'DELETE'), fc.constantFrom(...projects), fc.constantFrom(...keys))
      .map(([method, project, key]) => `${method} /projects/${project}/keys/${key}`),
    body: fc.record({ label: fc.constantFrom('x', 'y'), limits: fc.constantFrom(null, { perDay: { credits: 1 } }) }),
  }),
  fc.record({
    what: fc
      .tuple(fc.constantFrom(...projects), fc.constantFrom(...keys), fc.constantFrom('rotate', 'secrets'))
      .map(([project, key, verb]) => `POST /projects/${project}/keys/${key}/${verb}`),
    body: fc.record({ overlapSeconds: fc.constantFrom(0, 60) }, { requiredKeys: [] }),
  }),
  fc.record({
    what: fc.constantFrom(...projects).map((id) => `POST /projects/${id}/jwt-keys`),
    body: fc.record({ kid: fc.constantFrom('x', 'y'), pem: fc.constantFrom(...pems) }),
  }),
  fc.record({
    what: fc
      .tuple(fc.constantFrom('PUT', 'DELETE'), fc.constantFrom(...plans))
      .map(([method, id]) => `${method} /plans/${id}`),
    body: fc.record({ limits: fc.constantFrom({}, { perDay: { credits: 5 } }) }),
  }),
  fc.record({
    what: fc.constant('POST /keys/import'),
    body: fc.array(
      fc.record({
        project: fc.constantFrom(...projects),
        key: fc.constantFrom(...texts),
        id: fc.constantFrom(...keys),
      }),
      { maxLength: 2 },
    ),
  }),
  fc.record({
    what: fc.constant('POST /apply'),
    body: fc.record({
      plans: fc
        .uniqueArray(fc.constantFrom('p', 'q'), { maxLength: 2 })
        .map((ids) => ids.map((id) => ({ id, limits: {} }))),
      projects: fc
        .uniqueArray(fc.constantFrom('a', 'b'), { maxLength: 2 })
        .map((ids) =>
          ids.map((id) => ({ id, name: id, keys: [{ id: `${id}-key`, key: `key-of-project-number-${id}` }] })),
        ),
      dryRun: fc.boolean(),
    }),
  }),
)

/** So that most requests meet something. */
const start: readonly { readonly what: string; readonly body?: unknown }[] = [
  { what: 'PUT /plans/p', body: { limits: {} } },
  { what: 'POST /projects', body: { id: 'a', name: 'A' } },
  { what: 'POST /projects/a/keys', body: { id: 'k1' } },
]

/** Holds what the API lists to the snapshot, and the audit log to the changes of the feed. */
async function check({ ask, stores }: Fixture): Promise<void> {
  const snapshot = await stores.accounts.snapshot()
  const listed = (await ask('GET /projects')).body.items
  expect(listed.map(({ id, source }: Loose) => `${source} ${id}`)).toEqual([
    'config fixed',
    ...snapshot.projects.map(({ id }) => `store ${id}`),
  ])
  for (const kept of snapshot.projects) {
    const { jwtKeys, source: _source, ...seen } = (await ask(`GET /projects/${kept.id}`)).body
    expect({ ...seen, jwtKeys: jwtKeys.map(({ alg: _alg, fingerprint: _fingerprint, ...key }: Loose) => key) }).toEqual(
      kept,
    )
    const ofProject = snapshot.keys.filter(({ projectId }) => projectId === kept.id)
    const { items } = (await ask(`GET /projects/${kept.id}/keys`)).body
    expect(items).toEqual(
      ofProject.map(({ digest: _digest, secrets, ...key }) => ({
        ...key,
        source: 'store',
        secrets: secrets.map(({ digest: _secretDigest, ...secret }) => secret),
      })),
    )
  }
  const plansSeen = (await ask('GET /plans')).body.items.filter(({ source }: Loose) => source === 'store')
  expect(plansSeen).toEqual(snapshot.plans.map((plan) => ({ ...plan, source: 'store' })))
  // Each change has one entry, without gaps, and its author.
  const audit = (await ask('GET /audit?limit=1000')).body.items
  expect(audit.map(({ seq }: Loose) => seq)).toEqual(Array.from({ length: snapshot.seq }, (_, i) => snapshot.seq - i))
  for (const { actor } of audit) expect(actor).toBe('t-all')
  // The newest entry of each record is how it is.
  const newest = new Map<string, Loose>()
  for (const entry of audit.toReversed()) newest.set(`${entry.kind} ${entry.id}`, entry.after)
  for (const { digest: _digest, secrets: _secrets, ...key } of snapshot.keys)
    expect(newest.get(`key ${key.id}`)).toMatchObject(key)
  for (const project of snapshot.projects) expect(newest.get(`project ${project.id}`)).toEqual(project)
}

it('whatever is asked in whatever order, lists, snapshot and audit log agree, and a refusal changes nothing', async () => {
  const statuses = new Map<number, number>()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      await using fixture = await openFixture()
      const { ask, stores, clock } = fixture
      for (const { what, body } of [...start, ...steps]) {
        clock.now += 30_000
        const before = await stores.accounts.snapshot()
        const { status } = await ask(what, { body })
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        const after = await stores.accounts.snapshot()
        // An apply that meets a conflict halfway has made what came before.
        if (status >= 400 && what !== 'POST /apply') expect([what, after]).toEqual([what, before])
        expect(after.keys.every(({ projectId }) => after.projects.some(({ id }) => id === projectId))).toBe(true)
        expect(after.keys.every(({ digest }) => digest !== hash('f'.repeat(32)))).toBe(true)
      }
      await check(fixture)
      expect(fixture.failures).toEqual([])
    }),
    { numRuns: 30 },
  )
  // All kinds of answers came.
  for (const status of [200, 201, 204, 404, 409, 422]) expect(statuses.get(status) ?? 0).toBeGreaterThan(5)
  expect(statuses.get(500)).toBeUndefined()
})
