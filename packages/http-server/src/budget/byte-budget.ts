import { type ByteAccount, RpcError } from '@wayleave/jsonrpc-core'
import { createFairShare, type FairShare, type Turns } from '@wayleave/upstream'
import type { GcPacing } from './gc-pacing.ts'

/** The bytes that callers make this process hold: one capacity, shared fairly among projects. */
export interface ByteBudget {
  /** Bytes that are held or about to be; never more than the capacity. */
  readonly held: number
  readonly capacity: number
  /** Finds the account of a project by its id; undefined is the gateway itself, which has no share and takes to the last byte. */
  account(project: string | undefined): ProjectAccount
}

/** The account of a project. */
export interface ProjectAccount extends ByteAccount {
  arrive(bytes: number): boolean | Promise<boolean>
  /** Gives bytes back. `isGarbage`: they lie in buffers that wait for a collection; default: they do. */
  give(bytes: number, isGarbage?: boolean): void
  /** Undefined where `bytes` of an answer may be passed on now; else resolves when they may. */
  turn(bytes: number): Promise<void> | undefined
  refusal(): RpcError
}

export interface ByteBudgetOptions {
  /** In bytes. */
  readonly capacity: number
  /** Called with the project that was refused. */
  readonly onRefused: (project: string) => void
  readonly turns: Turns
  /** Told of what is taken and given back. Default: nobody. */
  readonly gcPacing?: GcPacing
}

/** Bytes of an answer that take as long to read as one unit of {@link Turns}. */
const bytesPerUnit = 8_192
/** Bytes at once that lie in buffers outside V8's heap, and parts of them: small calls do not. */
const large = 1_048_576
const largePart = 32_768

/** Most bytes that an account takes from the share ahead of its need, so that a small call costs an addition. */
const longestAdvance = 65_536

/** Idle accounts that are kept, at least: to make one for each call costs more than to find it. */
const mostIdle = 256

/** Creates a budget. It keeps the accounts of projects that hold something, and of some that have called lately. */
export function createByteBudget(options: ByteBudgetOptions): ByteBudget {
  const { capacity } = options
  const share = createFairShare(capacity)
  const advance = Math.max(1, Math.min(longestAdvance, Math.floor(capacity / 1_024)))
  const accounts = new Map<string | undefined, Account>()
  let most = mostIdle

  /** Forgets those that hold nothing. Whoever still has one goes on with it: the share is counted by project. */
  function forgetIdle(): void {
    for (const [project, { isIdle }] of accounts) if (isIdle) accounts.delete(project)
    most = mostIdle + 2 * accounts.size
  }

  return {
    capacity,
    get held() {
      return capacity - share.free
    },
    account(project) {
      let account = accounts.get(project)
      if (account !== undefined) return account
      if (accounts.size >= most) forgetIdle()
      accounts.set(project, (account = new Account({ ...options, share, project, advance })))
      return account
    },
  }
}

interface AccountOptions extends ByteBudgetOptions {
  readonly share: FairShare
  readonly project: string | undefined
  readonly advance: number
}

const message = 'too many bytes of this project are held (limits.maxHeldBytes); try again later'
/** Made once: thousands of calls of a batch may be refused in a turn, and a stack costs more than all else of a refusal. */
const tooManyBytes = new RpcError('overloaded', message, { retryAfterMs: 1_000, rpc: { code: -32005, message } })

class Account implements ProjectAccount {
  readonly #options: AccountOptions
  #held = 0
  /** Taken from the share, in whole advances. */
  #taken = 0

  constructor(options: AccountOptions) {
    this.#options = options
  }

  get isIdle(): boolean {
    return this.#held === 0
  }

  take(bytes: number): boolean {
    const held = this.#held + bytes
    if (held > this.#taken && !this.#grow(held)) return false
    if (bytes >= largePart) this.#options.gcPacing?.taken(bytes)
    this.#held = held
    return true
  }

  arrive(bytes: number): boolean | Promise<boolean> {
    const turn = this.turn(bytes)
    return turn === undefined ? this.take(bytes) : turn.then(() => this.take(bytes))
  }

  turn(bytes: number): Promise<void> | undefined {
    const { turns, project } = this.#options
    return turns.take(project, Math.ceil(bytes / bytesPerUnit))
  }

  give(bytes: number, isGarbage = true): void {
    this.#held -= bytes
    // An idle project keeps nothing from others.
    if (this.#held === 0 || this.#taken - this.#held > 2 * this.#options.advance) this.#shrink(isGarbage)
  }

  refusal(): RpcError {
    return tooManyBytes
  }

  #grow(held: number): boolean {
    const { share, project, advance, onRefused } = this.#options
    const more = Math.ceil((held - this.#taken) / advance) * advance
    // A project holds at most nine times what is left, also after it has taken this.
    const reserve = project === undefined ? 0 : Math.ceil((more * 10) / 9)
    if (!share.take(project, more, reserve)) {
      if (project !== undefined) onRefused(project)
      return false
    }
    this.#taken += more
    return true
  }

  #shrink(isGarbage: boolean): void {
    const { share, project, advance, gcPacing } = this.#options
    const needed = Math.ceil(this.#held / advance) * advance
    const less = this.#taken - needed
    const release = (): void => share.give(project, less)
    this.#taken = needed
    if (gcPacing === undefined || less < large || !isGarbage) release()
    else gcPacing.given(less, release)
  }
}
