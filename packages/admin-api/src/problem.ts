import { AdminError, type AdminErrorCode, type AdminIssue } from './error.ts'
import type { AdminResponse } from './message.ts'

/** The body of an answer that refuses, `application/problem+json` (RFC 9457). */
export interface Problem {
  readonly title: string
  readonly status: number
  readonly code: AdminErrorCode
  readonly detail: string
  readonly issues?: readonly AdminIssue[]
}

type ServedCode = Exclude<AdminErrorCode, 'invalid_options' | 'unreachable' | 'unreadable'>

/** The status and title of each code that the API answers with. */
export const problems: Readonly<Record<ServedCode, readonly [status: number, title: string]>> = {
  invalid_json: [400, 'Invalid JSON'],
  unauthorized: [401, 'Unauthorized'],
  forbidden: [403, 'Forbidden'],
  not_found: [404, 'Not found'],
  method_not_allowed: [405, 'Method not allowed'],
  conflict: [409, 'Conflict'],
  too_large: [413, 'Body too large'],
  unsupported_type: [415, 'Unsupported media type'],
  invalid: [422, 'Invalid values'],
  internal: [500, 'Internal error'],
  unavailable: [503, 'Unavailable'],
}

const retryAfterSeconds = 2
const mostIssues = 100

/** Prints an error as an answer. Whatever looks like a key, a secret or a digest is blotted out of its texts. */
export function problemAnswer(error: AdminError, headers: Readonly<Record<string, string>> = {}): AdminResponse {
  const code = Object.hasOwn(problems, error.code) ? (error.code as ServedCode) : 'internal'
  const [status, title] = problems[code]
  const issues = error.issues.slice(0, mostIssues)
  const problem: Problem = {
    title,
    status,
    code,
    detail: withoutSecrets(error.message),
    ...(issues.length > 0 && {
      issues: issues.map(({ path, message }) => ({ path: withoutSecrets(path), message: withoutSecrets(message) })),
    }),
  }
  return {
    status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...(status === 401 && { 'www-authenticate': 'Bearer realm="admin"' }),
      ...(status === 503 && { 'retry-after': String(retryAfterSeconds) }),
      ...headers,
    },
    body: JSON.stringify(problem),
  }
}

/** Turns what a store threw into the error to answer with; undefined for a fault of ours. Errors are known by their shape. */
export function errorOfStore(thrown: unknown): AdminError | undefined {
  if (!(thrown instanceof Error) || thrown.name !== 'StoresError') return undefined
  const { code, fault, message } = thrown as Error & { readonly code?: unknown; readonly fault?: unknown }
  switch (code) {
    case 'not_found':
    case 'conflict':
      return new AdminError(code, message, { cause: thrown })
    case 'invalid':
      return new AdminError('invalid', message, { cause: thrown, issues: [{ path: '', message }] })
    case 'unavailable':
    case 'closed': {
      const why = typeof fault === 'string' ? ` (${fault})` : ''
      const text = `the store cannot be used now${why}; a change may have been made all the same, so look before you repeat it`
      return new AdminError('unavailable', text, { cause: thrown })
    }
    default:
      return undefined
  }
}

function withoutSecrets(text: string): string {
  return text.replaceAll(/wls?_[0-9A-Za-z]{28}/g, '…').replaceAll(/[0-9a-f]{32,}/gi, '…')
}
