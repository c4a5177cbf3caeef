export type {
  Json,
  JsonObject,
  KeyFields,
  ProjectFields,
  StoredJwtKey,
  StoredKey,
  StoredLimits,
  StoredPlan,
  StoredProject,
  StoredQuota,
  StoredRules,
  StoredSecret,
} from './accounts/account.ts'
export type { AccountChange, AccountFeed, AccountSnapshot } from './accounts/account-feed.ts'
export type { AccountStore, AuditEntry, Author, Page } from './accounts/account-store.ts'
export type { AccountFollower, FollowOptions } from './accounts/follow-accounts.ts'
export type { Clock } from './clock.ts'
export { copySqlite, dropLostPins, isSqliteInUse } from './copy/copy-sqlite.ts'
export { type StoreFault, StoresError, type StoresErrorCode } from './error.ts'
export type { BaseFeeRun, FeeBlock, FeeRecord, FeeStore } from './fees/fee-store.ts'
export type { FilterStore, FilterTable, StoredFilter } from './filters/filter-store.ts'
export { inspectRedis, type RedisInspection } from './inspect/inspect-redis.ts'
export { inspectStore } from './inspect/inspect-store.ts'
export type { StoreInspection } from './inspect/store-inspection.ts'
export { migrationNames } from './migrations/migrate.ts'
export type { Pin, PinLedger, PinQuota, PinUsage } from './pins/pin-ledger.ts'
export type { SharedAnswer } from './redis/answer-codec.ts'
export type { KnownSpent, LimitAuthority, LimitGrant, LimitProcesses } from './redis/limit-authority.ts'
export { openRedisAnswers, type RedisAnswers, type RedisAnswersOptions } from './redis/redis-answers.ts'
export type { RedisState } from './redis/redis-connection.ts'
export { openRedis, type RedisOptions, type RedisStores } from './redis/redis-stores.ts'
export type { SharedAnswers } from './redis/shared-answers.ts'
export type { Cordon, Cordons } from './shared-state/cordons.ts'
export type { SharedSpend, SpendPeriod } from './shared-state/shared-spend.ts'
export type { HeadSource, SharedView } from './shared-state/shared-view.ts'
export { openStores, type Stores, type StoresOptions } from './stores.ts'
export type { UsageDimension, UsagePeriod, UsageQuery, UsageRow, UsageStore, UsageSum } from './usage/usage-store.ts'
