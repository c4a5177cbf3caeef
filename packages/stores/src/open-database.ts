import type { Kysely } from 'kysely'
import type { Database } from './database.ts'
import type { StoresError } from './error.ts'

/** A database that is open, and not yet brought up to date. */
export interface OpenDatabase {
  readonly dialect: 'sqlite' | 'postgres'
  /** Names it in messages, without credentials. */
  readonly where: string
  readonly db: Kysely<Database>
  /** What its driver threw, in our words. */
  explain(thrown: unknown): StoresError
}
