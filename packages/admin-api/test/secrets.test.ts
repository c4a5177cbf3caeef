import { inspect } from 'node:util'
import { createAdminClient } from '@wayleave/admin-api'
import { expect, it } from 'vitest'
import { configuredKey, hash, type Loose, openFixture, tokenOf } from './support/fixture.ts'

it('keys and secrets are told once, and neither they nor digests or tokens stand in anything else', async () => {
  await using fixture = await openFixture()
  const { ask, answers, stores } = fixture
  const reported: string[] = []
  const once = async (what: string, body: object, member: (answer: Loose) => string): Promise<Loose> => {
    const answer = await ask(what, { body })
    expect(answer.status).toBe(201)
    reported.push(member(answer.body))
    return answer.body
  }
  const given = 'a-key-of-elsewhere-0123456789'
  await ask('POST /projects', { body: { id: 'shop', name: 'Shop' } })
  await once('POST /projects/shop/keys', { id: 'k' }, ({ key }) => key)
  await once('POST /projects/shop/keys', { id: 'h', form: 'hex' }, ({ key }) => key)
  await once('POST /projects/shop/keys/k/secrets', {}, ({ secret }) => secret)
  await once('POST /projects/shop/keys/k/rotate', { id: 'k2' }, ({ created }) => created.key)
  const printed = answers.splice(0).join('\n')
  for (const text of reported) expect(printed.split(text).length - 1).toBe(1)

  // All that could tell more: every list, the audit log, and errors about each of them.
  const digests = [...reported, given, configuredKey, tokenOf('all')].map(hash)
  await ask('POST /projects/shop/keys', { body: { id: 'given', key: given } })
  for (const what of ['/projects', '/projects/shop/keys', '/projects/shop/keys/k', '/projects/fixed/keys', '/audit']) {
    expect((await ask(`GET ${what}`)).status).toBe(200)
  }
  for (const text of [...reported, given, ...digests]) {
    await ask(`GET /projects/${text}`)
    await ask(`DELETE /projects/shop/keys/${text}`)
    await ask('PATCH /projects/shop', { body: { plan: text } })
    await ask('PATCH /projects/shop', { body: { [text]: 1, rules: { methods: [`${text}!`] } } })
    await ask('POST /projects/shop/keys', { body: { key: text } })
    await ask('POST /projects/shop/keys', { body: { keyHash: `sha256:${hash(text)}` } })
    await ask('POST /keys/import', { body: [{ project: 'none', key: text }] })
    await ask('POST /keys/import', { body: [{ project: 'fixed', key: text, label: `${text}\n` }] })
    await ask('POST /apply', {
      body: { plans: [], projects: [{ id: 'x', keys: [{ id: 'a', key: text, hint: 'b' }] }] },
    })
    await ask('GET /audit', { token: text })
    await ask(`GET /usage?by=${text}`)
  }
  await ask('POST /apply', {
    body: { plans: [], projects: [{ id: 'shop', keys: [{ id: 'k', key: reported[0] }] }], dryRun: true },
  })
  const later = answers.join('\n')
  expect(answers.length).toBeGreaterThan(100)
  for (const text of [...reported, ...digests, tokenOf('all')]) expect(later).not.toContain(text)
  const { text } = await ask('GET /audit?limit=1000')
  for (const secret of [...reported, given, ...digests]) expect(text).not.toContain(secret)
  expect(fixture.failures).toEqual([])
  expect((await stores.accounts.snapshot()).keys.length).toBeGreaterThan(3)
})

it('an error of the client holds no token, key or URL with credentials', async () => {
  const token = tokenOf('all')
  const failing: typeof fetch = () => Promise.reject(new TypeError('fetch failed'))
  const client = createAdminClient({ url: 'http://127.0.0.1:1', token, fetch: failing })
  const error: unknown = await client.projects.list().catch((thrown: unknown) => thrown)
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(token)
  const create = () => createAdminClient({ url: 'http://user:s3cret@host', token })
  expect(create).toThrow(/^url: /)
  expect(create).not.toThrow(/s3cret/)
})
