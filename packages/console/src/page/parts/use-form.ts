import { useState } from 'preact/hooks'
import { asConsoleError, ConsoleError, type Issue } from '../api/console-error.ts'

/** A form that is sent: what the API says of its values stands at their fields. */
export interface Form {
  readonly isBusy: boolean
  /** What is wrong with the value at a path, and below it. */
  at(path: string): string | undefined
  /** What is wrong elsewhere. */
  readonly fault: string | undefined
  /** Sends; resolves with whether that went well. */
  send(run: () => Promise<unknown>): Promise<boolean>
}

/** Makes a form. `fields` are the paths that have a place of their own. */
export function useForm(fields: readonly string[]): Form {
  const [error, setError] = useState<ConsoleError | undefined>()
  const [isBusy, setBusy] = useState(false)
  const issues = error?.issues ?? []
  const elsewhere = issues.filter(({ path }) => !fields.some((field) => isBelow(path, field)))

  return {
    isBusy,
    at(path) {
      const own = issues.filter((issue) => isBelow(issue.path, path))
      return own.length === 0 ? undefined : own.map((issue) => printIssue(issue, path)).join('; ')
    },
    get fault() {
      if (error === undefined) return undefined
      if (issues.length === 0) return error.message
      return elsewhere.length === 0 ? undefined : elsewhere.map(({ path, message }) => `${path}: ${message}`).join('; ')
    },
    async send(run) {
      if (isBusy) return false
      setBusy(true)
      try {
        await run()
        setError(undefined)
        return true
      } catch (thrown) {
        setError(asConsoleError(thrown))
        return false
      } finally {
        setBusy(false)
      }
    },
  }
}

/** Makes the error of values that the page itself finds wrong. */
export function invalidHere(...issues: readonly Issue[]): ConsoleError {
  return new ConsoleError('Some values are wrong', { status: 0, code: 'invalid', issues })
}

function isBelow(path: string, field: string): boolean {
  return path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`)
}

/** An entry of a list is named by its line. */
function printIssue({ path, message }: Issue, field: string): string {
  const rest = path.slice(field.length)
  const line = /^\[(\d+)\]/.exec(rest)?.[1]
  if (line !== undefined) return `line ${Number(line) + 1}: ${message}`
  return rest === '' ? message : `${rest.replace(/^\./, '')}: ${message}`
}
