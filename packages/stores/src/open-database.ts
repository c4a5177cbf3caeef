import type { Kysely } from 'kysely'
import type { StoresError } from './error.ts'

/** An open database, before its migrations. */
export interface OpenDatabase {
  readonly dialect: 'sqlite' | 'postgres'
  /** Its name in messages, without credentials. */
  readonly where: string
  readonly db: Kysely<object>
  /** Turns an error of its driver into ours. */
  explain(thrown: unknown): StoresError
}
