export {
  type GivenKey,
  type GivenPlan,
  type GivenProject,
  type JwtKeyChanges,
  jwtKeyFields,
  type KeyChanges,
  keyFields,
  planFields,
  type ProjectChanges,
  projectFields,
  type SecretChanges,
  secretFields,
  type StoredJwtKey,
  type StoredKey,
  type StoredPlan,
  type StoredProject,
  type StoredSecret,
} from './account/account.ts'
export type { AccountChange, AccountEvent, AccountSnapshot } from './account/account-changes.ts'
export type {
  AccountStore,
  AuditEntry,
  Author,
  FurtherPlans,
  RecordPage,
  StoredAccounts,
} from './account/account-store.ts'
export { directiveValues, neverSkips } from './account/directives.ts'
export {
  type Changes,
  type Chosen,
  chosenOf,
  defaultsOf,
  type Field,
  type Fields,
  type FieldValues,
  type Given,
  maxDirectives,
  maxHintLength,
  maxLeewayMs,
  maxNetworks,
  maxTextLength,
  type Stored,
} from './account/field.ts'
export {
  type Authenticate,
  type AuthenticatorOptions,
  type AuthFailure,
  type AuthResult,
  createAuthenticator,
} from './authenticator.ts'
export { type BasicCredentials, parseBasic, printBasic } from './basic.ts'
export {
  type AccessCheck,
  type AccessCheckOptions,
  type AccessGrant,
  type AccessRequest,
  createAccessCheck,
  type Decision,
  type DenialReason,
} from './decision.ts'
export { type Digest, sameDigest, sha256Hex } from './digest.ts'
export { AuthError, type AuthErrorCode } from './error.ts'
export {
  type JwtAlgorithm,
  type JwtKey,
  type JwtKeyEntry,
  maxJwtKeys,
  parseJwtKey,
  parseJwtKeys,
} from './jwt/jwt-key.ts'
export {
  createTokenVerifier,
  type TokenChecks,
  type TokenVerifier,
  type TokenVerifierOptions,
  type VerifiedToken,
  type WrongToken,
} from './jwt/token-verifier.ts'
export { createKeyDirectory, type KeyDirectory, type KeyDirectoryOptions, type KeyUse } from './key-directory.ts'
export {
  createApiKey,
  createApiSecret,
  hasValidChecksum,
  hintOf,
  isApiKey,
  isApiSecret,
  isWeakKey,
  keyPattern,
  minKeyLength,
} from './key-format.ts'
export { type KeyRecord, type KeyStore, maxSecrets, type RevokedKey, type SecretRecord } from './key-store.ts'
export { createMemoryKeyStore, type KeyEntry, parseHash, type ProjectEntry } from './memory-key-store.ts'
export { parseProject, type Project, type ProjectSettings } from './project.ts'
export { type AddressRange, isInRanges, networkOf, parseAddressRange, plainAddress } from './rules/address-range.ts'
export type { OriginPattern } from './rules/origin-pattern.ts'
export { maxRuleEntries, parseRules, type RuleEntries, type Rules } from './rules/rules.ts'
export { mayBeKey, secretsInUrl } from './url-secrets.ts'
