import { join } from 'node:path'
import type { AccountSnapshot } from '@wayleave/auth'
import type { Clock } from '@wayleave/jsonrpc-core'
import { createLimits, createPrices, MeteringError, type PriceOverrides } from '@wayleave/metering'
import type { UsageStore } from '@wayleave/stores'
import type { Accounts } from '../accounts/accounts.ts'
import type { NamedProject } from '../config/accounts.ts'
import { ConfigError } from '../config/check.ts'
import type { Config } from '../config/config.ts'
import { errorClass, type Log } from '../ops/log.ts'
import type { Metrics } from '../ops/metrics.ts'
import type { SharedLimits } from '../shared-state.ts'
import { createMetering, type Metering } from './metering.ts'
import { plansOf } from './plans.ts'
import { createQuotaWarnings } from './quota-warnings.ts'
import { restoreSpent } from './restore-spent.ts'
import { storedPlans } from './stored-plans.ts'
import { keepUsage, type UsageKeeper } from './usage-keeper.ts'
import { watchSharedLimits, type WatchedLimits } from './watch-shared-limits.ts'
import { createWebhook } from './webhook.ts'

export interface OpenMeteringOptions {
  readonly projects: readonly NamedProject[]
  /** The accounts of these projects. */
  readonly accounts: AccountSnapshot
  /** The limits of the accounts of the store. */
  readonly stored: Pick<Accounts, 'limitsOf' | 'limits'>
  /** Undefined: usage is not counted. */
  readonly store: UsageStore | undefined
  /** Undefined: limits are of this process alone. */
  readonly shared?: SharedLimits | undefined
  /** Makes an id that nobody else has. */
  readonly newId: () => string
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
}

/** The metering of a gateway. */
export interface OpenMetering extends Metering {
  /** Undefined where usage is not counted. */
  readonly usage: UsageKeeper | undefined
  /** Undefined where limits are of this process alone. */
  readonly sharedLimits: WatchedLimits | undefined
  close(): Promise<void>
}

/**
 * Opens the metering of a configuration. What its keys and projects have spent is read from the store.
 * @throws ConfigError where the spool cannot be opened; MeteringError for plans and prices of an unchecked configuration
 */
export async function openMetering(config: Config, options: OpenMeteringOptions): Promise<OpenMetering> {
  const { projects, accounts, stored, store, shared, newId, clock, log, metrics } = options
  const { events, ...overrides } = config.prices ?? {}
  const prices = createPrices({ overrides: overrides as Readonly<Record<string, PriceOverrides>>, events })
  const plans = plansOf(config, projects, accounts)
  const ofStore = storedPlans(plans.planOf, stored, log)
  const webhook =
    config.webhook &&
    createWebhook({
      ...config.webhook,
      clock,
      newId,
      onLost: (why) => log.repeats.warn(['webhook'], { why }, 'the webhook did not take a warning'),
    })
  const sharedLimits = shared && watchSharedLimits({ shared, log })
  const onWarning = createQuotaWarnings({ log, metrics, webhook })
  const limits = createLimits({ clock, shared: sharedLimits?.leases, onWarning })
  const usage = store && (await openUsage(config, store, options))
  if (usage !== undefined) metrics.watchUsage(usage)
  if (store !== undefined) {
    try {
      await restoreSpent({ accounts: [...plans.accounts, ...ofStore.accounts()], store, limits, date: clock.date() })
    } catch (why) {
      const then = shared === undefined ? 'their quotas begin anew' : 'their quotas are as redis has them'
      log.error({ code: codeOf(why) }, `what keys and projects have spent could not be read; ${then}`)
    }
  }
  return {
    ...createMetering({
      prices,
      limits,
      planOf: ofStore.planOf,
      plansVersion: () => stored.limits?.version ?? 0,
      usage: usage?.usage,
      metrics,
    }),
    usage,
    sharedLimits,
    async close() {
      await Promise.all([usage?.close(), webhook?.close(), limits.close()])
    },
  }
}

async function openUsage(
  { dataDir, usage = {} }: Config,
  store: UsageStore,
  { newId, clock, log }: OpenMeteringOptions,
): Promise<UsageKeeper> {
  const path = usage.spool ?? (dataDir === undefined ? undefined : join(dataDir, 'usage.spool'))
  try {
    return await keepUsage({ store, path, keepDays: usage.keepDays, process: newId(), clock, log })
  } catch (thrown) {
    const member = usage.spool === undefined ? 'dataDir' : 'usage.spool'
    const { code, syscall } = thrown as NodeJS.ErrnoException
    if (thrown instanceof MeteringError && thrown.code === 'in_use') {
      const expected = 'a place for the spool of usage that no other process has'
      throw new ConfigError([
        { path: member, expected, got: `${path}, which is in use: stop that process, or name another \`usage.spool\`` },
      ])
    }
    if (syscall === undefined) throw thrown
    throw new ConfigError([
      { path: member, expected: 'a place for the spool of usage', got: `one that cannot be written (${code})` },
    ])
  }
}

function codeOf(why: unknown): unknown {
  return (why as { readonly code?: unknown } | undefined)?.code ?? errorClass(why)
}
