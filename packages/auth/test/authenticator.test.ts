import { hash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type AccessGrant,
  createAuthenticator,
  createKeyDirectory,
  createMemoryKeyStore,
  createTokenVerifier,
  type KeyRecord,
  type KeyStore,
  printBasic,
  type ProjectEntry,
  sha256Hex,
  type TokenVerifier,
} from '../src/index.ts'
import { ask, bareKey, closedKey, closedSecret, openKey, openSecret, projects } from './helpers.ts'
import { audience, createSigner, goodClaims, signToken, today } from './jwt/tokens.ts'

const open = { id: 'open', name: 'Open project', networks: ['mainnet'], requireSecret: false }
const closed = { id: 'closed', name: 'Closed project', requireSecret: true }

const nodeDigest = (text: string): string => hash('sha256', text)

describe('a key alone', () => {
  test('names its project where no secret is required', () => {
    expect(ask(openKey)).toMatchObject({ project: open })
    expect(ask(bareKey)).toMatchObject({ project: open })
  })

  test('does not suffice where a secret is required', () => {
    expect(ask(closedKey)).toMatchObject({ failure: 'secret_required' })
    expect(ask(closedKey, '')).toMatchObject({ failure: 'secret_required' })
  })

  test('that is absent or empty is no_key, even with a secret', () => {
    expect(ask(undefined)).toMatchObject({ failure: 'no_key' })
    expect(ask('')).toMatchObject({ failure: 'no_key' })
    expect(ask(undefined, printBasic('', openSecret))).toMatchObject({ failure: 'no_key' })
  })

  test('that is unknown, in another case or no key at all is unknown_key', () => {
    for (const key of [
      'f'.repeat(32),
      openKey.toUpperCase(),
      `${openKey} `,
      'a/b',
      'k'.repeat(129),
      sha256Hex(openKey),
    ]) {
      expect(ask(key)).toMatchObject({ failure: 'unknown_key' })
    }
  })
})

describe('a secret', () => {
  test('that is right is accepted with an empty user and with the key as user', () => {
    expect(ask(closedKey, printBasic('', closedSecret))).toMatchObject({ project: closed })
    expect(ask(closedKey, printBasic(closedKey, closedSecret))).toMatchObject({ project: closed })
    expect(ask(openKey, printBasic('', openSecret))).toMatchObject({ project: open })
  })

  test('that is wrong fails even where none is required', () => {
    for (const secret of ['guess', '', openSecret.toUpperCase(), `${openSecret}0`, sha256Hex(openSecret)]) {
      expect(ask(openKey, printBasic('', secret))).toMatchObject({ failure: 'wrong_secret' })
    }
    expect(ask(closedKey, printBasic('', openSecret))).toMatchObject({ failure: 'wrong_secret' })
  })

  test('fails for a key that has none, whatever it is', () => {
    expect(ask(bareKey, printBasic('', openSecret))).toMatchObject({ failure: 'wrong_secret' })
    expect(ask(bareKey, printBasic(bareKey, ''))).toMatchObject({ failure: 'wrong_secret' })
  })

  test('with another key as user than the path is wrong, though each half is right', () => {
    expect(ask(openKey, printBasic(closedKey, openSecret))).toMatchObject({ failure: 'wrong_secret' })
    expect(ask(openKey, printBasic(closedKey, closedSecret))).toMatchObject({ failure: 'wrong_secret' })
  })

  test('in malformed Basic or another scheme is wrong', () => {
    for (const header of ['Basic', 'Basic !!', 'Basic bm9jb2xvbg==', `Digest ${openSecret}`, openSecret]) {
      expect(ask(openKey, header)).toMatchObject({ failure: 'wrong_secret' })
      expect(ask(closedKey, header)).toMatchObject({ failure: 'wrong_secret' })
    }
  })

  test('with an unknown key is unknown_key, and costs the same digests as with a known one', () => {
    const digested: string[] = []
    const sha256 = (text: string): string => {
      digested.push(text)
      return sha256Hex(text)
    }
    const authenticate = createAuthenticator({ keys: createMemoryKeyStore(projects), sha256 })
    const costOf = (key: string, header: string): number => {
      digested.length = 0
      void authenticate(key, header)
      return digested.length
    }
    const unknown = 'f'.repeat(32)
    expect(authenticate(unknown, printBasic('', openSecret))).toMatchObject({ failure: 'unknown_key' })
    for (const header of [printBasic('', openSecret), printBasic('', 'guess'), 'Basic !!']) {
      expect(costOf(unknown, header)).toBe(2)
      expect(costOf(openKey, header)).toBe(2)
      expect(costOf(bareKey, header)).toBe(2)
    }
  })

  test('whose digest is the placeholder of unknown keys opens none of them', () => {
    const authenticate = createAuthenticator({ keys: { find: () => undefined }, sha256: () => '0'.repeat(64) })
    expect(authenticate(openKey, printBasic('', openSecret))).toMatchObject({ failure: 'unknown_key' })
  })
})

describe('the store', () => {
  test('is asked by digest, never with the key', () => {
    const asked: string[] = []
    const keys: KeyStore = {
      find(digest) {
        asked.push(digest)
        return undefined
      },
    }
    void createAuthenticator({ keys })(openKey, undefined)
    expect(asked).toEqual([nodeDigest(openKey)])
  })

  test('that answers later makes the answer a promise of the same', async () => {
    const memory = createMemoryKeyStore(projects)
    const authenticate = createAuthenticator({ keys: { find: async (digest) => memory.find(digest) } })
    const answer = authenticate(closedKey, printBasic('', closedSecret))
    expect(answer).toBeInstanceOf(Promise)
    expect(await answer).toMatchObject({ project: closed })
    expect(await authenticate(closedKey, undefined)).toMatchObject({ failure: 'secret_required' })
  })

  test('whose failure is its own: the authenticator rejects with it', async () => {
    const authenticate = createAuthenticator({ keys: { find: () => Promise.reject(new Error('store is down')) } })
    await expect(authenticate(openKey, undefined)).rejects.toThrow('store is down')
  })

  test('and the authenticator may share a digest of the host', () => {
    const authenticate = createAuthenticator({ keys: createMemoryKeyStore(projects, nodeDigest), sha256: nodeDigest })
    expect(authenticate(closedKey, printBasic('', closedSecret))).toMatchObject({ project: closed })
  })
})

test('no answer holds a key, a secret or a digest', () => {
  const guarded = [openKey, openSecret, closedKey, closedSecret, bareKey]
  const words = [...guarded, ...guarded.map(sha256Hex)]
  const part = fc.constantFrom(...guarded, '', 'f'.repeat(32))
  fc.assert(
    fc.property(part, part, part, (key, user, secret) => {
      const text = JSON.stringify(ask(key, printBasic(user.replaceAll(':', ''), secret)))
      expect(words.filter((word) => text.includes(word))).toEqual([])
    }),
  )
})

describe('expiry and rotation', () => {
  const soon = 1_000
  const [first, second, third] = ['first-secret', 'second-secret', 'third-secret'].map(sha256Hex) as [
    string,
    string,
    string,
  ]
  function askAt(now: number, record: Partial<KeyRecord>, authorization?: string) {
    const project = { id: 'p', name: 'p', requireSecret: false }
    const keys = { find: () => ({ id: 'k', project, secrets: [], ...record }) }
    return createAuthenticator({ keys, now: () => now })('some-key', authorization)
  }

  test('a key is known until it expires, whatever comes with it', () => {
    const secrets = [{ digest: first }]
    for (const header of [undefined, printBasic('', 'first-secret')]) {
      expect(askAt(soon - 1, { expiresAt: soon, secrets }, header)).toMatchObject({ keyId: 'k', expiresAt: soon })
      expect(askAt(soon, { expiresAt: soon, secrets }, header)).toEqual({
        failure: 'revoked',
        keyId: 'k',
        why: 'the key has expired',
      })
    }
  })

  test('both of two secrets are right while they overlap, and the old one is wrong after it expired', () => {
    const secrets = [{ digest: first, expiresAt: soon }, { digest: second }]
    const at = (now: number, secret: string) => askAt(now, { secrets, expiresAt: 5_000 }, printBasic('', secret))
    expect(at(soon - 1, 'first-secret')).toMatchObject({ keyId: 'k', expiresAt: soon })
    expect(at(soon - 1, 'second-secret')).toMatchObject({ keyId: 'k', expiresAt: 5_000 })
    expect(at(soon, 'first-secret')).toMatchObject({ failure: 'wrong_secret' })
    expect(at(soon, 'second-secret')).toMatchObject({ keyId: 'k' })
    expect(at(0, 'third-secret')).toMatchObject({ failure: 'wrong_secret' })
  })

  test('a third secret is not looked at', () => {
    const secrets = [first, second, third].map((digest) => ({ digest }))
    expect(askAt(0, { secrets }, printBasic('', 'third-secret'))).toMatchObject({ failure: 'wrong_secret' })
  })

  test('a text whose digest is the placeholder is no secret of a key that has none', () => {
    const project = { id: 'p', name: 'p', requireSecret: false }
    const keys = { find: () => ({ id: 'k', project, secrets: [] }) }
    const authenticate = createAuthenticator({ keys, sha256: () => '0'.repeat(64) })
    expect(authenticate('some-key', printBasic('', 'any'))).toMatchObject({ failure: 'wrong_secret' })
  })
})

test('rules hold for a caller with a secret, unless his project switches them off', () => {
  for (const secretBypassesRules of [false, true]) {
    const keys = createMemoryKeyStore([
      {
        id: 'p',
        name: 'p',
        rules: { methods: ['eth_call'] },
        secretBypassesRules,
        keys: [{ key: openKey, secret: openSecret }],
      },
    ])
    const authenticate = createAuthenticator({ keys })
    const withKey = authenticate(openKey, undefined) as AccessGrant
    const withSecret = authenticate(openKey, printBasic('', openSecret)) as AccessGrant
    expect(withKey.rules?.methods).toEqual(new Set(['eth_call']))
    expect(withSecret.rules?.methods).toEqual(secretBypassesRules ? undefined : new Set(['eth_call']))
  }
})

test('the store hears of keys whose caller was authenticated, and of no other', () => {
  const memory = createMemoryKeyStore(projects)
  const touched: string[] = []
  const authenticate = createAuthenticator({
    keys: { find: (digest) => memory.find(digest), touch: ({ id }) => touched.push(id) },
  })
  void authenticate(openKey, printBasic('', 'wrong'))
  void authenticate(closedKey, undefined)
  void authenticate('unknown', undefined)
  expect(touched).toEqual([])
  void authenticate(openKey, undefined)
  void authenticate(closedKey, printBasic('', closedSecret))
  expect(touched).toEqual([openKey, closedKey].map((key) => sha256Hex(key).slice(0, 8)))
})

describe('a JWT', () => {
  const signer = createSigner('ES256', 'k1')
  const project = {
    id: 'p',
    name: 'p',
    jwtKeys: [signer.entry],
    requireSecret: true,
    rules: { methods: ['eth_call'], sources: ['10.0.0.0/8'] },
    secretBypassesRules: true,
  }
  const key = { key: openKey, secret: openSecret, expiresAt: today + 1_000 }
  function authenticatorOf(over: Partial<ProjectEntry> = {}) {
    return createAuthenticator({
      keys: createMemoryKeyStore([{ ...project, keys: [key], ...over }]),
      tokens: createTokenVerifier({ audience, now: () => today }),
      now: () => today,
    })
  }
  const good = `Bearer ${signToken(signer, { ...goodClaims, methods: ['eth_chainId'] })}`

  test('that is right is accepted in the place of a secret; its lists replace the project’s', async () => {
    const found = await authenticatorOf()(openKey, good)
    expect(found).toMatchObject({ project: { id: 'p' }, rules: { methods: new Set(['eth_chainId']) } })
    expect((found as AccessGrant).rules?.sources).toHaveLength(1)
  })

  test('lets a connection live no longer than itself or its key', async () => {
    expect(await authenticatorOf()(openKey, good)).toMatchObject({ expiresAt: today + 1_000 })
    const lasting = authenticatorOf({ keys: [{ key: openKey, secret: openSecret }] })
    expect(await lasting(openKey, good)).toMatchObject({ expiresAt: goodClaims.exp * 1_000 + 60_000 })
    const exact = authenticatorOf({ keys: [{ key: openKey, secret: openSecret }], jwtLeewayMs: 0 })
    expect(await exact(openKey, good)).toMatchObject({ expiresAt: goodClaims.exp * 1_000 })
  })

  test('that is known is answered at once', async () => {
    const authenticate = authenticatorOf()
    expect(authenticate(openKey, good)).toBeInstanceOf(Promise)
    await authenticate(openKey, good)
    expect(authenticate(openKey, good)).toMatchObject({ project: { id: 'p' } })
    expect(authenticate(openKey, good.replace('Bearer ', 'bearer   '))).toMatchObject({ project: { id: 'p' } })
  })

  test('that is wrong is refused, even where none is required', async () => {
    const authenticate = authenticatorOf({ requireSecret: false })
    for (const header of ['Bearer', 'Bearer ', 'Bearer x', `${good}x`, `Bearer ${openSecret}`]) {
      expect(await authenticate(openKey, header)).toMatchObject({ failure: 'wrong_token' })
    }
    expect(await authenticatorOf({ jwtKeys: [] })(openKey, good)).toMatchObject({ failure: 'wrong_token' })
    expect(ask(openKey, good)).toMatchObject({ failure: 'wrong_token' })
  })

  test('does not help an unknown key, and is digested for it as for a known one', async () => {
    const digested: string[] = []
    const sha256 = (text: string): string => {
      digested.push(text)
      return sha256Hex(text)
    }
    const authenticate = createAuthenticator({
      keys: createMemoryKeyStore([{ ...project, keys: [key] }]),
      tokens: createTokenVerifier({ audience, sha256, now: () => today }),
      now: () => today,
    })
    expect(await authenticate('f'.repeat(32), good)).toMatchObject({ failure: 'unknown_key' })
    expect(await authenticate(openKey, good)).toHaveProperty('project')
    expect(digested).toEqual([good.slice(7), good.slice(7)])
  })

  test('that is required is not replaced by a key or a secret', async () => {
    const authenticate = authenticatorOf({ requireJwt: true })
    expect(authenticate(openKey, undefined)).toMatchObject({ failure: 'token_required' })
    expect(authenticate(openKey, printBasic('', openSecret))).toMatchObject({ failure: 'token_required' })
    expect(authenticate(openKey, printBasic('', 'wrong'))).toMatchObject({ failure: 'wrong_secret' })
    expect(await authenticate(openKey, good)).toHaveProperty('project')
  })

  test('is judged again if its key or project changes while its signature is checked', async () => {
    const digest = sha256Hex(openKey)
    const stored = { id: 'k', projectId: 'p', digest, secrets: [] }
    const directory = createKeyDirectory({
      snapshot: { seq: 0, projects: [project], keys: [stored] },
      onInvalid: (error) => {
        throw error
      },
    })
    const tokens = createTokenVerifier({ audience, now: () => today })
    const authenticate = createAuthenticator({ keys: directory, tokens, now: () => today })
    const changed = authenticate(openKey, good)
    directory.apply({ seq: 1, kind: 'project', project: { ...project, name: 'renamed' } })
    expect(await changed).toMatchObject({ project: { name: 'renamed' } })
    const other = `Bearer ${signToken(signer, { ...goodClaims, methods: [] })}`
    const withoutItsKey = authenticate(openKey, other)
    directory.apply({ seq: 2, kind: 'project', project: { ...project, jwtKeys: [] } })
    expect(await withoutItsKey).toMatchObject({ failure: 'wrong_token' })
    directory.apply({ seq: 3, kind: 'project', project })
    const third = `Bearer ${signToken(signer, { ...goodClaims, methods: ['eth_call'] })}`
    const revoked = authenticate(openKey, third)
    directory.apply({ seq: 4, kind: 'key_removed', keyId: 'k' })
    expect(await revoked).toEqual({ failure: 'revoked', keyId: 'k', why: 'the key was removed' })
  })

  test('whose key the platform cannot read makes the authenticator reject', async () => {
    const tokens: TokenVerifier = { verify: () => Promise.reject(new Error('unreadable')) }
    const keys = createMemoryKeyStore([{ ...project, keys: [{ key: openKey }] }])
    await expect(createAuthenticator({ keys, tokens })(openKey, good)).rejects.toThrow('unreadable')
  })

  test('stands in no answer', async () => {
    const text = JSON.stringify(await authenticatorOf()(openKey, good))
    expect(text).not.toContain(good.slice(-20))
    expect(text).not.toContain(sha256Hex(good.slice(7)))
  })
})
