/** The state of a database, read without opening it as stores. */
export interface StoreInspection {
  /** Its name in messages, without credentials: `the SQLite file data/wayleave.sqlite`. */
  readonly where: string
  /** Whether there is a database; false for an SQLite file that the first start makes. */
  readonly exists: boolean
  /** The version of the database, such as `3.50.4` or `16.4`. */
  readonly version: string
  /** Names of the migrations that it had, in order. */
  readonly applied: readonly string[]
  /** Names of those that the next start runs. */
  readonly pending: readonly string[]
  /** Names of those that a newer version has run: a start refuses the database. */
  readonly newer: readonly string[]
  /** The size of the database, in bytes. */
  readonly bytes: number
  /** Free bytes of its disk, for the user of this process; undefined where they are not known. */
  readonly freeBytes?: number
  /** Connections of the PostgreSQL server: its bound but for what it reserves, and those that are open. */
  readonly connections?: { readonly max: number; readonly open: number }
}
