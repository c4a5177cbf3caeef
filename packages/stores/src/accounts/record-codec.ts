import type { AuditEntry, Field, Fields, Stored } from '@wayleave/auth'
import type { Plan } from '@wayleave/metering'
import { StoresError } from '../error.ts'

/** A 64-bit integer: PostgreSQL gives it as text. */
export type BigIntColumn = number | string

/** A row of a record with these fields. */
export type RowOf<F extends Fields> = {
  readonly [
    Name in keyof F & string as F[Name] extends { readonly column: infer Column extends string } ? Column : Name
  ]: ColumnValues[(typeof formOf)[F[Name]['kind']]] | (F[Name] extends { readonly optional: true } ? null : never)
}

interface ColumnValues {
  readonly text: string
  readonly integer: BigIntColumn
  readonly flag: number
  readonly json: string
}

/** How values of a kind are kept. */
const formOf = {
  id: 'text',
  plan: 'text',
  digest: 'text',
  hint: 'text',
  name: 'text',
  label: 'text',
  audience: 'text',
  pem: 'text',
  time: 'integer',
  leeway: 'integer',
  flag: 'flag',
  networks: 'json',
  rules: 'json',
  limits: 'json',
  directives: 'json',
  jwtKeys: 'json',
  secrets: 'json',
} as const

/** How records of one kind become rows and are read back. */
export interface Codec<Row, Kept> {
  readonly kind: AuditEntry['kind']
  write(record: Kept): Row
  /** @throws StoresError `corrupt`. */
  read(row: Row): Kept
}

/** Makes the codec of a table whose columns are those of the fields. */
export function codecOf<F extends Fields>(kind: AuditEntry['kind'], fields: F): Codec<RowOf<F>, Stored<F, Plan>> {
  const columns = Object.entries<Field>(fields).map(([name, field]) => {
    return { name, column: field.column ?? name, form: forms[formOf[field.kind]], optional: field.optional === true }
  })
  return {
    kind,
    write(record) {
      const members = record as Members
      return Object.fromEntries(
        columns.map(({ name, column, form }) => [
          column,
          members[name] === undefined ? null : form.write(members[name]),
        ]),
      ) as RowOf<F>
    },
    read(row) {
      const cells = row as Members
      const of = `${kind} "${String(cells['id'])}"`
      const record: Record<string, unknown> = {}
      for (const { name, column, form, optional } of columns) {
        const cell = cells[column]
        // The row of a change that an earlier version wrote may be without the column.
        if (!optional || cell != null) record[name] = form.read(cell, of)
      }
      return record as Stored<F, Plan>
    },
  }
}

type Members = Readonly<Record<string, unknown>>

/** How columns keep values. */
const forms: Readonly<
  Record<keyof ColumnValues, { write(value: unknown): unknown; read(cell: unknown, of: string): unknown }>
> = {
  text: { write: (value) => value, read: (cell) => cell },
  integer: { write: (value) => value, read: Number },
  flag: { write: Number, read: (cell) => cell !== 0 },
  json: { write: (value) => JSON.stringify(value), read: (cell, of) => parse(cell as string, of) },
}

/** Reads a column of JSON. @throws StoresError `corrupt`. */
export function parse<T>(text: string, what: string): T {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value as T
  } catch {
    // Told below: the parser's own words would quote the row.
  }
  throw new StoresError('corrupt', `${what} is not what was written: JSON was expected`)
}
