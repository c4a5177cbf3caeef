import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type AccountSnapshot, networkOf } from '@wayleave/auth'
import type { Clock } from '@wayleave/jsonrpc-core'
import { createLimits, createPrices, MeteringError, type PriceOverrides, type Prices } from '@wayleave/metering'
import type { UsageStore } from '@wayleave/stores'
import { errorClass, type Log } from '@wayleave/telemetry'
import type { Accounts } from '../accounts/accounts.ts'
import type { NamedProject } from '../config/accounts.ts'
import { ConfigError } from '../config/check.ts'
import type { Config } from '../config/config.ts'
import { limitsOf } from '../config/limits.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { createMetering, type Metering } from './metering.ts'
import { type PlannedAccount, plansOf } from './plans.ts'
import { createQuotaWarnings } from './quota-warnings.ts'
import { readSpent } from './read-spent.ts'
import { storedPlans } from './stored-plans.ts'
import { keepUsage, type UsageKeeper } from './usage-keeper.ts'
import { type SharedLimits, watchSharedLimits, type WatchedLimits } from './watch-shared-limits.ts'
import { createWebhook, type Webhook } from './webhook.ts'

export interface OpenMeteringOptions {
  readonly projects: readonly NamedProject[]
  /** The accounts of these projects. */
  readonly accounts: AccountSnapshot
  /** The limits of the accounts of the store. */
  readonly stored: Pick<Accounts, 'limitsOf' | 'limits'>
  /** Undefined: usage is not counted. */
  readonly store: UsageStore | undefined
  /** Counts usage for another process, which keeps it. Default: this one keeps its own. */
  readonly usage?: UsageKeeper | undefined
  /** Undefined: limits are of this process alone. */
  readonly shared?: SharedLimits | undefined
  /** Makes an id that nobody else has. */
  readonly newId: () => string
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
}

/** Longest wait of a reload for the store, in ms. */
const patienceMs = 30_000

/** The metering of a gateway. */
export interface OpenMetering extends Metering {
  /** Undefined where usage is not counted. */
  readonly usage: UsageKeeper | undefined
  /** Undefined where limits are of this process alone. */
  readonly sharedLimits: WatchedLimits | undefined
  /**
   * Reads the prices and plans of another configuration, and from the store what keys and projects have spent whose plans are others;
   * waits for it for 30 seconds, or until the signal aborts. Nothing changes before the function that it resolves with is called, after
   * the accounts have changed: what was spent counts on then.
   */
  prepare(
    config: Config,
    projects: readonly NamedProject[],
    accounts: AccountSnapshot,
    signal?: AbortSignal,
  ): Promise<() => void>
  close(): Promise<void>
}

/**
 * Opens the metering of a configuration. What its keys and projects have spent is read from the store.
 * @throws ConfigError where the spool cannot be opened; MeteringError for plans and prices of an unchecked configuration
 */
export async function openMetering(config: Config, options: OpenMeteringOptions): Promise<OpenMetering> {
  const { projects, accounts, stored, store, shared, newId, clock, log, metrics } = options
  let prices = pricesOf(config)
  let plans = plansOf(config, projects, accounts)
  let ownProjects = idsOf(projects)
  /** Counts the changes of plans. */
  let changes = 0
  const ofStore = storedPlans(() => plans, stored, log)
  const openWebhook = (settings: Config['webhook']): Webhook | undefined =>
    settings &&
    createWebhook({
      ...settings,
      clock,
      newId,
      onLost: (why) => log.repeats.warn(['webhook'], { why }, 'the webhook did not take a warning'),
    })
  let webhook = openWebhook(config.webhook)
  let webhookSettings = config.webhook
  const sharedLimits = shared && watchSharedLimits({ shared, log })
  const onWarning = createQuotaWarnings({
    log,
    metrics,
    get webhook() {
      return webhook
    },
  })
  let { visitorPrefix } = limitsOf(config)
  const limits = createLimits({
    clock,
    shared: sharedLimits?.leases,
    onWarning,
    visitorOf: (address) => networkOf(address, visitorPrefix),
    onForgotten(party) {
      metrics.forgottenLimits('visitor').add()
      const text =
        'there are more visitors than are remembered: one who had spent little was forgotten, and begins anew'
      log.repeats.warn(['visitors', party.scope, party.id], { ...party }, text)
    },
  })
  const usage = options.usage ?? (store && (await openUsage(config, store, options)))
  if (usage !== undefined) metrics.watchUsage(usage)

  /** Asks the store what accounts have spent, and returns the function that makes it count. Never rejects. `otherwise`: the quotas of this process without it. */
  async function spentBy(
    planned: readonly PlannedAccount[],
    otherwise: string,
    bound: <T>(work: Promise<T>) => Promise<T> = (work) => work,
    signal?: AbortSignal,
  ) {
    if (store === undefined || planned.length === 0) return () => {}
    try {
      const found = await bound(readSpent({ accounts: planned, store, date: clock.date() }))
      return () => found.forEach(({ account, spent }) => limits.restore(account, spent))
    } catch (why) {
      if (signal?.aborted === true) return () => {}
      const then = shared === undefined ? otherwise : 'their quotas are as redis has them'
      log.error({ code: codeOf(why) }, `what keys and projects have spent could not be read; ${then}`)
      return () => {}
    }
  }
  const countFirst = await spentBy([...plans.accounts, ...ofStore.accounts()], 'their quotas begin anew')
  countFirst()
  const metering = createMetering({
    prices: {
      priceOf: (kind, method) => prices.priceOf(kind, method),
      eventPriceOf: (subscription) => prices.eventPriceOf(subscription),
    },
    limits,
    planOf: ofStore.planOf,
    // Both only grow.
    plansVersion: () => changes + (stored.limits?.version ?? 0),
    usage: usage?.usage,
    metrics,
  })
  return {
    prices: metering.prices,
    get version() {
      return metering.version
    },
    callerOf: metering.callerOf,
    maxFiltersOf: metering.maxFiltersOf,
    forget: metering.forget,
    usage,
    sharedLimits,
    async prepare(next, nextProjects, nextAccounts, signal) {
      const nextPrices = pricesOf(next)
      const nextPlans = plansOf(next, nextProjects, nextAccounts, plans)
      const nextOwn = idsOf(nextProjects)
      const all = [...ofStore.accounts(), ...plans.accounts]
      const planOf = new Map(all.map((account) => [nameOf(account), account.plan]))
      const nextOfStore = ofStore.accounts(nextPlans)
      const changed = [...nextOfStore, ...nextPlans.accounts].filter(
        (account) => planOf.get(nameOf(account)) !== account.plan,
      )
      // Those that leave the configuration are served on where the store has them.
      const left = nextOfStore.filter(({ projectId }) => ownProjects.has(projectId) && !nextOwn.has(projectId))
      const otherwise = 'their quotas go on from what this process has counted'
      const inPatience = <T>(work: Promise<T>): Promise<T> => inTime(work, patienceMs, clock, signal)
      const countSpent = await spentBy([...changed, ...left], otherwise, inPatience, signal)
      return () => {
        prices = nextPrices
        plans = nextPlans
        ownProjects = nextOwn
        visitorPrefix = limitsOf(next).visitorPrefix
        changes++
        countSpent()
        if (isDeepStrictEqual(next.webhook, webhookSettings)) return
        void webhook?.close()
        webhookSettings = next.webhook
        webhook = openWebhook(webhookSettings)
      }
    },
    async close() {
      await Promise.all([usage?.close(), webhook?.close(), limits.close()])
    },
  }
}

/** @throws MeteringError */
function pricesOf({ prices: { events, ...overrides } = {} }: Config): Prices {
  return createPrices({ overrides: overrides as Readonly<Record<string, PriceOverrides>>, events })
}

function idsOf(projects: readonly NamedProject[]): ReadonlySet<string> {
  return new Set(projects.map(({ id }) => id))
}

function nameOf({ scope, id }: PlannedAccount): string {
  return `${scope} ${id}`
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
    const problem = {
      path: member,
      expected: 'a place for the spool of usage',
      got: `one that cannot be written (${code})`,
    }
    throw new ConfigError([problem], undefined, code === 'ENOSPC')
  }
}

function codeOf(why: unknown): unknown {
  return (why as { readonly code?: unknown } | undefined)?.code ?? errorClass(why)
}

/** Settles as `work`, or rejects after `ms` and when the signal aborts. */
function inTime<T>(work: Promise<T>, ms: number, clock: Clock, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (): void => reject(new MeteringError('timeout', 'the store of usage gave no answer in time'))
    const stop = clock.after(ms, end)
    signal?.addEventListener('abort', end)
    if (signal?.aborted === true) end()
    void work.then(resolve, reject).finally(() => {
      stop()
      signal?.removeEventListener('abort', end)
    })
  })
}
