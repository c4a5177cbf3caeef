export type { KnownSpent, LimitAuthority, LimitGrant } from './authority.ts'
export { defaultEventPrices, defaultPrice, defaultPrices } from './default-prices.ts'
export { MeteringError, type MeteringErrorCode } from './error.ts'
export { createGcra, type Gcra, type RateRule } from './gcra.ts'
export type { LeasesOptions } from './lease.ts'
export {
  createLimits,
  type LimitedParty,
  type Limiter,
  type Limits,
  type LimitsOptions,
  type SpentCharge,
} from './limits.ts'
export { createMemoryAuthority, type MemoryAuthorityOptions } from './memory-authority.ts'
export type { LimitName, LimitWindow } from './meter.ts'
export { meter, type MeteredCaller, type MeterOptions, refusalOf } from './middleware.ts'
export { checkPlan, defaultMarks, type LimitRules, type Plan, type QuotaRule } from './plan.ts'
export { createPrices, type PriceOverrides, type Prices, type PricesOptions, settledPrice } from './price.ts'
export type { QuotaWarning } from './quota.ts'
export type { RateLimitFields } from './rate-limit-fields.ts'
export { describeRefusal, type Refusal, type RefusalAnswer } from './refusal.ts'
export type { ForgetfulParty, SpentCredits } from './scope.ts'
export { createSpool, type Spool, type SpoolFile, type SpoolOptions } from './spool.ts'
export type { UsageBatch } from './spool-record.ts'
export {
  createUsage,
  type StatusClass,
  type Usage,
  type UsageOptions,
  type UsageRecorder,
  type UsageRow,
} from './usage.ts'
export type { UsageDimension, UsagePeriod, UsageQuery, UsageSum } from './usage-query.ts'
