import type { Kysely } from 'kysely'
import type { StoresError } from './error.ts'

/** An open database, before its migrations. */
export interface OpenDatabase {
  readonly dialect: 'sqlite' | 'postgres'
  /** Its name in messages, without credentials. */
  readonly where: string
  readonly db: Kysely<object>
  /** Sentences about what was changed or found at opening, for an operator. */
  readonly notices: readonly string[]
  /** Turns an error of its driver into ours. */
  explain(thrown: unknown): StoresError
  /** Takes some microseconds. @throws StoresError where what was written last may not last. */
  check(): void
  /** Writes to the database; tries to mend it, if the last probe failed. Rejects where it cannot be used. */
  probe(): Promise<void>
  /** Has `wake` called after changes of accounts by any process, until the function returned is called. Some may be missed. */
  listen(wake: () => void): () => void
  /** Frees space on a full disk that was set aside for this. False: there is none left. */
  makeRoom(): boolean
  /** Waits until what was committed is on the disk, without blocking the thread. */
  sync(): Promise<void>
  /** Saves what can be saved, and closes every connection. */
  close(): Promise<void>
}
