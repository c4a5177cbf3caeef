import type { StoresError } from '../error.ts'
import type { StoreTable } from './store-tables.ts'

/** A row as a copy reads it: 64-bit integers are decimal text, doubles are numbers. */
export type CopyRow = Readonly<Record<string, string | number | null>>

/** One connection to an end of a copy. */
export interface CopyPlace {
  /** Its name in messages, without credentials. */
  readonly where: string
  /** Runs a statement with `?` for its parameters. */
  query(statement: string, parameters?: readonly (string | number | null)[]): Promise<readonly CopyRow[]>
  /** Runs work in a transaction that is on the disk once this resolves. */
  transaction<T>(work: () => Promise<T>): Promise<T>
  /** Adds rows; a row that is there already is left as it is. */
  insert(table: StoreTable, rows: readonly CopyRow[]): Promise<void>
  /** Empties a table. */
  empty(table: StoreTable): Promise<void>
  /** Whether another process of wayleave has the database open. */
  isInUse(): Promise<boolean>
  explain(thrown: unknown): StoresError
  close(): Promise<void>
}
