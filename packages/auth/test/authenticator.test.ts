import { hash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createAuthenticator, createMemoryKeyStore, type KeyStore, printBasic, sha256Hex } from '../src/index.ts'
import { ask, bareKey, closedKey, closedSecret, openKey, openSecret, projects } from './helpers.ts'

const open = { id: 'open', name: 'Open project', networks: ['mainnet'], requireSecret: false }
const closed = { id: 'closed', name: 'Closed project', requireSecret: true }

const nodeDigest = (text: string): string => hash('sha256', text)

describe('a key alone', () => {
  test('names its project where no secret is required', () => {
    expect(ask(openKey)).toMatchObject({ project: open })
    expect(ask(bareKey)).toMatchObject({ project: open })
  })

  test('does not suffice where a secret is required', () => {
    expect(ask(closedKey)).toEqual({ failure: 'secret_required' })
    expect(ask(closedKey, '')).toEqual({ failure: 'secret_required' })
  })

  test('that is absent or empty is no_key, even with a secret', () => {
    expect(ask(undefined)).toEqual({ failure: 'no_key' })
    expect(ask('')).toEqual({ failure: 'no_key' })
    expect(ask(undefined, printBasic('', openSecret))).toEqual({ failure: 'no_key' })
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
      expect(ask(key)).toEqual({ failure: 'unknown_key' })
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
      expect(ask(openKey, printBasic('', secret))).toEqual({ failure: 'wrong_secret' })
    }
    expect(ask(closedKey, printBasic('', openSecret))).toEqual({ failure: 'wrong_secret' })
  })

  test('fails for a key that has none, whatever it is', () => {
    expect(ask(bareKey, printBasic('', openSecret))).toEqual({ failure: 'wrong_secret' })
    expect(ask(bareKey, printBasic(bareKey, ''))).toEqual({ failure: 'wrong_secret' })
  })

  test('with another key as user than the path is wrong, though each half is right', () => {
    expect(ask(openKey, printBasic(closedKey, openSecret))).toEqual({ failure: 'wrong_secret' })
    expect(ask(openKey, printBasic(closedKey, closedSecret))).toEqual({ failure: 'wrong_secret' })
  })

  test('in malformed Basic or another scheme is wrong', () => {
    for (const header of ['Basic', 'Basic !!', 'Basic bm9jb2xvbg==', `Bearer ${openSecret}`, openSecret]) {
      expect(ask(openKey, header)).toEqual({ failure: 'wrong_secret' })
      expect(ask(closedKey, header)).toEqual({ failure: 'wrong_secret' })
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
    expect(authenticate(unknown, printBasic('', openSecret))).toEqual({ failure: 'unknown_key' })
    for (const header of [printBasic('', openSecret), printBasic('', 'guess'), 'Basic !!']) {
      expect(costOf(unknown, header)).toBe(2)
      expect(costOf(openKey, header)).toBe(2)
      expect(costOf(bareKey, header)).toBe(2)
    }
  })

  test('whose digest is the placeholder of unknown keys opens none of them', () => {
    const authenticate = createAuthenticator({ keys: { find: () => undefined }, sha256: () => '0'.repeat(64) })
    expect(authenticate(openKey, printBasic('', openSecret))).toEqual({ failure: 'unknown_key' })
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
    expect(await authenticate(closedKey, undefined)).toEqual({ failure: 'secret_required' })
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
