import { type StoreFault, StoresError } from './error.ts'
import { isBusy, sqliteCodeOf, sqliteCodes } from './sqlite-dialect.ts'

/** Turns an error of SQLite or of the file system into ours. */
export function explainSqlite(thrown: unknown, where: string): StoresError {
  if (thrown instanceof StoresError) return thrown
  const code = sqliteCodeOf(thrown)
  if (code === sqliteCodes.corrupt || code === sqliteCodes.notADatabase) return corrupt(where, thrown)
  const reason = thrown instanceof Error ? thrown.message : 'it failed'
  const fault = faultOf(thrown, code)
  return new StoresError('unavailable', `${where} cannot be used: ${reason}`, { cause: thrown, fault })
}

function faultOf(thrown: unknown, code: number | undefined): StoreFault {
  const { code: system } = (thrown ?? {}) as { readonly code?: unknown }
  if (code === sqliteCodes.full || system === 'ENOSPC') return 'full'
  if (code === sqliteCodes.readOnly || system === 'EROFS') return 'read_only'
  return isBusy(thrown) ? 'busy' : 'failed'
}

/** Makes the error of a file that SQLite cannot read. */
export function corrupt(where: string, cause?: unknown): StoresError {
  const message = `${where} is damaged, or no SQLite database: move it away, and a new one is made`
  return new StoresError('corrupt', message, { cause, fault: 'damaged' })
}
