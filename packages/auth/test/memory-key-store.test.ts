import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { AuthError, createMemoryKeyStore, type ProjectEntry, sha256Hex } from '../src/index.ts'
import { bareKey, openKey, openSecret, projects } from './helpers.ts'

function refusal(entries: readonly ProjectEntry[]): AuthError {
  try {
    createMemoryKeyStore(entries)
  } catch (thrown) {
    if (thrown instanceof AuthError) return thrown
  }
  throw new Error('an AuthError was expected')
}

function project(id: string, keys: ProjectEntry['keys'], requireSecret = false): ProjectEntry {
  return { id, name: id, requireSecret, keys }
}

test('a record is found by the digest of its key alone and holds the digest of the secret', () => {
  const store = createMemoryKeyStore(projects)
  expect(store.find(sha256Hex(openKey))).toEqual({
    id: sha256Hex(openKey).slice(0, 8),
    project: { id: 'open', name: 'Open project', networks: ['mainnet'], requireSecret: false },
    secrets: [{ digest: sha256Hex(openSecret) }],
    hint: 'cdef',
  })
  expect(store.find(sha256Hex(bareKey))).toMatchObject({ secrets: [], hint: '' })
  expect(store.find(openKey)).toBeUndefined()
})

test('nothing else that the operator wrote travels with the project', () => {
  const store = createMemoryKeyStore([{ ...project('p', [{ key: openKey }]), note: openSecret } as ProjectEntry])
  expect(inspect(store.find(sha256Hex(openKey)), { depth: 9 })).not.toContain(openSecret)
})

test('a key and a secret may be given as their SHA-256, and a second secret serves during rotation', () => {
  const store = createMemoryKeyStore([
    {
      id: 'p',
      name: 'p',
      keys: [
        {
          keyHash: `sha256:${sha256Hex(openKey)}`,
          secret: openSecret,
          secretHashes: [`sha256:${sha256Hex('next').toUpperCase()}`],
          expiresAt: 5,
          label: 'ci',
        },
      ],
    },
  ])
  expect(store.find(sha256Hex(openKey))).toMatchObject({
    secrets: [{ digest: sha256Hex(openSecret) }, { digest: sha256Hex('next') }],
    expiresAt: 5,
    label: 'ci',
  })
})

describe('an entry is refused, by position and without its text, when', () => {
  test('a key is malformed', () => {
    for (const key of ['white space', 'slash/ed', 'k'.repeat(129), 'ключ']) {
      const error = refusal([project('first', [{ key: openKey }, { key }])])
      expect(error).toMatchObject({ code: 'invalid_key', name: 'AuthError' })
      expect(error.message).toContain('keys[1] of project "first"')
      expect(inspect(error)).not.toContain(key)
    }
  })

  test('a key or secret is empty', () => {
    expect(refusal([project('first', [{ key: '' }])]).code).toBe('invalid_key')
    expect(refusal([project('first', [{ key: openKey, secret: '' }])]).code).toBe('invalid_secret')
  })

  test('a secret is too long or holds control characters', () => {
    for (const secret of ['s'.repeat(1_025), 'line\nbreak']) {
      const error = refusal([project('first', [{ key: openKey, secret }])])
      expect(error.code).toBe('invalid_secret')
      expect(inspect(error)).not.toContain(secret)
    }
  })

  test('a secret is required but absent', () => {
    const error = refusal([project('first', [{ key: openKey }], true)])
    expect(error.code).toBe('missing_secret')
    expect(inspect(error)).not.toContain(openKey)
  })

  test('a hash is no SHA-256, or secrets are more than two', () => {
    for (const keyHash of [sha256Hex(openKey), 'sha256:', 'sha256:abc', `sha512:${sha256Hex(openKey)}`]) {
      expect(refusal([project('first', [{ keyHash }])]).code).toBe('invalid_key')
    }
    expect(refusal([project('first', [{ key: openKey, secretHashes: ['x'] }])]).code).toBe('invalid_secret')
    const hash = `sha256:${sha256Hex('a')}`
    const error = refusal([project('first', [{ key: openKey, secret: 'b', secretHashes: [hash, hash] }])])
    expect(error.message).toContain('3 secrets, at most 2')
  })

  test('its rules or JWT keys are wrong, which names the project', () => {
    const rules = refusal([{ ...project('first', []), rules: { methods: ['eth_*'] } }])
    expect(rules).toMatchObject({
      code: 'invalid_rules',
      message: expect.stringContaining('project "first": methods[0]'),
    })
    const jwt = refusal([{ ...project('first', []), jwtKeys: [{ pem: 'x' }] }])
    expect(jwt).toMatchObject({ code: 'invalid_jwt_key', message: expect.stringContaining('project "first"') })
  })

  test('a key stands in two projects', () => {
    const error = refusal([project('first', [{ key: openKey }]), project('second', [{ key: openKey }])])
    expect(error.code).toBe('duplicate_key')
    expect(error.message).toMatch(/"second".*"first"/)
    expect(inspect(error)).not.toContain(openKey)
  })
})
