export type { CacheChain } from './cache-chain.ts'
export type { Compression } from './compression.ts'
export type { AnswerSource, KeptAnswer } from './kept-answer.ts'
export {
  createMemoryStore,
  type MemoryStore,
  type MemoryStoreOptions,
  type StorePartition,
  type StoreTally,
} from './memory-store.ts'
export { cacheOutcome, type CacheOutcome } from './outcome.ts'
export type { AnswerLife, CachedQuestion } from './question.ts'
export { createRpcCache, type RpcCache } from './rpc-cache.ts'
export type { RpcCacheOptions, WholeResult } from './rpc-cache-options.ts'
export type { SharedCache } from './shared-cache.ts'
