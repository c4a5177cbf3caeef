import type { RpcError } from '@wayleave/jsonrpc-core'
import type { ProjectAccount } from './byte-budget.ts'

/** The bytes of one request: taken bit by bit, given back together. */
export class Holding {
  /** Bytes of results that are held. */
  results = 0
  readonly #account: ProjectAccount
  #bytes = 0
  #passing = 0
  #isOver = false

  constructor(account: ProjectAccount) {
    this.#account = account
  }

  /** Holds `bytes` more; false where they may not be held, or the request is over. */
  take(bytes: number): boolean {
    if (this.#isOver || !this.#account.take(bytes)) return false
    this.#bytes += bytes
    return true
  }

  /** Holds `bytes` more for an answer that passes, likewise: they lie in buffers that others use next, and leave no garbage. */
  takePassing(bytes: number): boolean {
    if (this.#isOver || !this.#account.take(bytes)) return false
    this.#passing += bytes
    return true
  }

  /** Holds the bytes of one result more, likewise. */
  takeResult(bytes: number): boolean {
    if (!this.take(bytes)) return false
    this.results += bytes
    return true
  }

  /** Undefined where `bytes` of an answer may be passed on now; else resolves when they may. */
  turn(bytes: number): Promise<void> | undefined {
    return this.#account.turn(bytes)
  }

  /** Makes the error of a call whose bytes may not be held. */
  refusal(): RpcError {
    return this.#account.refusal()
  }

  /** Gives everything back; nothing can be taken afterwards. */
  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#passing > 0) this.#account.give(this.#passing, false)
    this.#account.give(this.#bytes)
  }
}
