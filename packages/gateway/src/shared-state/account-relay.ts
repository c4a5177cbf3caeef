import type { Clock } from '@wayleave/jsonrpc-core'
import type { AccountChange, AccountFollower, AccountSnapshot, FollowOptions, StoresError } from '@wayleave/stores'
import { createReadAgain } from '../accounts/read-again.ts'
import type { AccountSource } from '../store.ts'
import { repeat } from '../waits.ts'
import type { Channel } from './channel.ts'
import { askInTime, errorOf, errorParts, type ThrownError } from './remote-methods.ts'

/** The accounts of the store, read once in the primary for all workers. */
export interface AccountRelay {
  /** Hands a worker all accounts now, and each change. */
  serve(channel: Channel): void
  close(): Promise<void>
}

/** The accounts, as the primary tells them. `ageMs`: how long ago the store was read. */
type Word =
  | { readonly snapshot: AccountSnapshot }
  | { readonly change: AccountChange }
  | { readonly failure: ThrownError | undefined }
  | { readonly ageMs: number }

/** Time between two words on the age of the accounts, in ms. */
const ageEveryMs = 500
/** Longest wait of a worker for the primary to note last uses, in ms. */
const touchMs = 5_000
/** Longest wait of a worker for the primary to read the accounts again, in ms. */
const refreshMs = 1_000
/** Keys whose last uses wait for a store that is away. */
const mostUses = 100_000

type Use = Parameters<AccountSource['touch']>[0][number]

/** Begins to follow the accounts with the first worker. */
export function createAccountRelay(source: AccountSource, { clock }: { readonly clock: Clock }): AccountRelay {
  const workers = new Set<Channel>()
  const uses = new Map<string, number>()
  let accounts: CurrentAccounts | undefined
  let follower: AccountFollower | undefined
  let stopAges: (() => Promise<void>) | undefined
  const refresh = createReadAgain(async () => follower?.refresh(), clock)

  function notifyAll(word: Word): void {
    for (const worker of workers) worker.report('accounts.word', word)
  }

  function follow(): AccountFollower {
    stopAges = repeat(reportAge, ageEveryMs, clock)
    return source.follow({
      clock,
      onSnapshot(snapshot) {
        accounts = createCurrentAccounts(snapshot)
        notifyAll({ snapshot })
      },
      onChange(change) {
        accounts!.apply(change)
        notifyAll({ change })
      },
      onFailure: (error) => notifyAll({ failure: error && errorParts(error) }),
    })
  }

  function reportAge(): void {
    const ageMs = follower?.staleMs()
    if (ageMs !== undefined) notifyAll({ ageMs })
  }

  async function noteUses(some: readonly Use[]): Promise<void> {
    for (const { keyId, usedAt } of some) {
      if (uses.size >= mostUses && !uses.has(keyId)) continue
      uses.set(keyId, Math.max(usedAt, uses.get(keyId) ?? 0))
    }
    // The uses are noted with the next ones.
    if (source.fault() !== undefined) return
    const all = [...uses].map(([keyId, usedAt]) => ({ keyId, usedAt }))
    uses.clear()
    if (all.length > 0) await source.touch(all).catch(() => {})
  }

  return {
    serve(channel) {
      channel.serve('accounts.follow', () => {
        workers.add(channel)
        // A feed that has not read yet tells this worker, too.
        if (accounts !== undefined) channel.report('accounts.word', { snapshot: accounts.snapshot() } satisfies Word)
        follower ??= follow()
      })
      // Changes are told before the answer.
      channel.serve('accounts.refresh', refresh)
      channel.serve('accounts.touch', (some) => noteUses(some as readonly Use[]))
      channel.onClose(() => workers.delete(channel))
    },
    async close() {
      void stopAges?.()
      workers.clear()
      await follower?.close()
      await noteUses([])
    },
  }
}

interface CurrentAccounts {
  apply(change: AccountChange): void
  snapshot(): AccountSnapshot
}

/** Applies changes to a snapshot, for workers that come later. */
function createCurrentAccounts(first: AccountSnapshot): CurrentAccounts {
  const plans = new Map(first.plans.map((plan) => [plan.id, plan]))
  const projects = new Map(first.projects.map((project) => [project.id, project]))
  const keys = new Map(first.keys.map((key) => [key.id, key]))
  let { seq } = first
  return {
    apply(change) {
      ;({ seq } = change)
      if (change.kind === 'plan') plans.set(change.plan.id, change.plan)
      else if (change.kind === 'plan_removed') plans.delete(change.planId)
      else if (change.kind === 'project') projects.set(change.project.id, change.project)
      else if (change.kind === 'key') keys.set(change.key.id, change.key)
      else if (change.kind === 'key_removed') keys.delete(change.keyId)
      else {
        projects.delete(change.projectId)
        for (const [id, { projectId }] of keys) if (projectId === change.projectId) keys.delete(id)
      }
    },
    snapshot: () => ({ seq, plans: [...plans.values()], projects: [...projects.values()], keys: [...keys.values()] }),
  }
}

/** Makes the accounts of a worker, as the primary tells them. `path`: the member of the configuration that names the store. */
export function workerAccounts(channel: Channel, path: string, clock: Clock): AccountSource {
  let options: FollowOptions | undefined
  let seq: number | undefined
  /** How old the accounts were when the primary told it, and when that was. */
  let age: { readonly ms: number; readonly at: number } | undefined

  channel.serve('accounts.word', (body) => {
    const word = body as Word
    if (options === undefined) return
    if ('ageMs' in word) age = { ms: word.ageMs, at: clock.now() }
    else if ('failure' in word) options.onFailure?.(word.failure && (errorOf(word.failure) as StoresError))
    else if ('snapshot' in word) {
      age = { ms: 0, at: clock.now() }
      ;({ seq } = word.snapshot)
      options.onSnapshot(word.snapshot)
    } else if (word.change.seq > (seq ?? 0)) {
      ;({ seq } = word.change)
      options.onChange(word.change)
    }
  })

  async function close(): Promise<void> {
    options = undefined
  }

  return {
    path,
    // The primary keeps uses while the store is away.
    fault: () => undefined,
    follow(how) {
      options = how
      channel.ask('accounts.follow').catch((thrown: Error) => {
        const parts = { name: 'StoresError', message: thrown.message, code: 'unavailable' }
        options?.onFailure?.(errorOf(parts) as StoresError)
      })
      return {
        get seq() {
          return seq
        },
        staleMs: () => age && age.ms + (clock.now() - age.at),
        async refresh() {
          await askInTime(channel, 'accounts.refresh', undefined, { clock, timeoutMs: refreshMs }).catch(() => {})
        },
        close,
        [Symbol.asyncDispose]: close,
      }
    },
    touch: async (uses) => void (await askInTime(channel, 'accounts.touch', uses, { clock, timeoutMs: touchMs })),
  }
}
