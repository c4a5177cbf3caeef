import { createAuthenticator, createMemoryKeyStore, type AuthResult } from '../src/index.ts'

export const openKey = '0123456789abcdef0123456789abcdef'
export const openSecret = 'fedcba9876543210fedcba9876543210'
export const closedKey = '89abcdef0123456789abcdef01234567'
export const closedSecret = 'pässwörd: with colon'
export const bareKey = 'bare_Key-1'

export const projects = [
  {
    id: 'open',
    name: 'Open project',
    networks: ['mainnet'],
    keys: [{ key: openKey, secret: openSecret }, { key: bareKey }],
  },
  { id: 'closed', name: 'Closed project', requireSecret: true, keys: [{ key: closedKey, secret: closedSecret }] },
]

/** Asks a memory store, which answers at once. */
export function ask(key: string | undefined, authorization?: string): AuthResult {
  const result = createAuthenticator({ keys: createMemoryKeyStore(projects) })(key, authorization)
  if (result instanceof Promise) throw new Error('a synchronous answer was expected')
  return result
}
