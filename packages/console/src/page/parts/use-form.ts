import { useState } from 'preact/hooks'
import { asConsoleError, ConsoleError, type Issue } from '../api/console-error.ts'

/** The props that tie a field to a value of a form. */
interface FieldOf<V> {
  readonly value: V
  readonly onChange: (value: V) => void
  readonly error: string | undefined
}

/** A form that is sent: what the API says of its values stands at their fields. */
export interface Form<T> {
  readonly values: T
  set<N extends keyof T>(name: N, value: T[N]): void
  field<N extends keyof T & string>(name: N): FieldOf<T[N]>
  readonly isBusy: boolean
  /** What is wrong with the value at a path, and below it. */
  at(path: string): string | undefined
  /** What is wrong elsewhere. */
  readonly fault: string | undefined
  /** Sends. What it rejects with is shown. */
  send(run: () => Promise<unknown>): Promise<void>
}

/** Makes a form of values, named as the API names them. `places` are the paths that have a field. Default: the names. */
export function useForm<T extends object>(first: T, places: readonly string[] = Object.keys(first)): Form<T> {
  const [values, setValues] = useState(first)
  const [error, setError] = useState<ConsoleError | undefined>()
  const [isBusy, setBusy] = useState(false)
  const issues = error?.issues ?? []
  const elsewhere = issues.filter(({ path }) => !places.some((place) => isBelow(path, place)))

  function at(path: string): string | undefined {
    const own = issues.filter((issue) => isBelow(issue.path, path))
    return own.length === 0 ? undefined : own.map((issue) => printIssue(issue, path)).join('; ')
  }
  const set: Form<T>['set'] = (name, value) => setValues((before) => ({ ...before, [name]: value }))

  return {
    values,
    set,
    field: (name) => ({ value: values[name], onChange: (value) => set(name, value), error: at(name) }),
    isBusy,
    at,
    get fault() {
      if (error === undefined) return undefined
      if (issues.length === 0) return error.message
      return elsewhere.length === 0 ? undefined : elsewhere.map(({ path, message }) => `${path}: ${message}`).join('; ')
    },
    async send(run) {
      if (isBusy) return
      setBusy(true)
      try {
        await run()
        setError(undefined)
      } catch (thrown) {
        setError(asConsoleError(thrown))
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

/** The texts that are not empty, without the space around them. */
export function filled<N extends string>(texts: Readonly<Record<N, string>>): Partial<Record<N, string>> {
  const trimmed = Object.entries<string>(texts).map(([name, text]) => [name, text.trim()] as const)
  return Object.fromEntries(trimmed.filter(([, text]) => text !== '')) as Partial<Record<N, string>>
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
