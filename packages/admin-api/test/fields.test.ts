import { type Field, type Fields, keyFields, projectFields } from '@wayleave/auth'
import { expect, it } from 'vitest'
import { openFixture } from './support/fixture.ts'

/** A value of each kind that operators choose. */
const values: Partial<Record<Field['kind'], unknown>> = {
  name: 'A name',
  label: 'a label',
  audience: 'https://us.example',
  leeway: 5_000,
  time: 1_800_000_000_000,
  flag: true,
  plan: 'team',
  networks: ['mainnet'],
  rules: { methods: ['eth_call'] },
  limits: { perDay: { credits: 9 } },
  directives: { marks: 'inline' },
}

/** Every field that operators choose, with a value. */
function chosen(fields: Fields): readonly (readonly [member: string, field: Field, value: unknown])[] {
  return Object.entries(fields).flatMap(([member, field]) => {
    if (field.chosen !== true) return []
    expect(values, `a value of the kind of ${member}`).toHaveProperty(field.kind)
    return [[member, field, values[field.kind]]]
  })
}

it.each([
  ['projects', '/projects', projectFields],
  ['keys', '/projects/home/keys', keyFields],
] as const)(
  'keeps, shows, copies, changes and takes away every field of %s that operators choose',
  async (kind, path, fields: Fields) => {
    await using fixture = await openFixture()
    const { ask, stores } = fixture
    await ask('PUT /plans/team', { body: { limits: {} } })
    await ask('POST /projects', { body: { id: 'home', name: 'Home' } })
    const all = Object.fromEntries(chosen(fields).map(([member, , value]) => [member, value]))

    expect((await ask(`POST ${path}`, { body: { ...all, id: 'one' } })).body).toMatchObject(all)
    expect((await ask(`GET ${path}/one`)).body).toMatchObject(all)
    const snapshot = await stores.accounts.snapshot()
    expect(snapshot[kind].find(({ id }) => id === 'one')).toMatchObject(all)
    const changes = (await stores.accounts.changes(0, 100))!
    expect(changes.at(-1)).toMatchObject(kind === 'keys' ? { key: all } : { project: all })
    if (kind === 'keys') {
      const { created } = (await ask(`POST ${path}/one/rotate`, { body: {} })).body
      const { expiresAt: _, ...copied } = all
      expect(created).toMatchObject(copied)
    }

    for (const [member, { optional, default: value }] of chosen(fields)) {
      const answer = await ask(`PATCH ${path}/one`, { body: { [member]: optional === true ? null : (value ?? 'X') } })
      expect([member, answer.status, answer.body[member]]).toEqual([member, 200, optional ? undefined : (value ?? 'X')])
    }
  },
)
