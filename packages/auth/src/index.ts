export { isApiKey, isApiSecret } from './api-key.ts'
export {
  type Authenticate,
  type AuthenticatorOptions,
  type AuthFailure,
  type AuthResult,
  createAuthenticator,
} from './authenticator.ts'
export { type BasicCredentials, parseBasic, printBasic } from './basic.ts'
export { type Digest, sameDigest, sha256Hex } from './digest.ts'
export { AuthError, type AuthErrorCode } from './error.ts'
export type { KeyRecord, KeyStore } from './key-store.ts'
export { createMemoryKeyStore, type KeyEntry, type ProjectEntry } from './memory-key-store.ts'
export type { Project } from './project.ts'
