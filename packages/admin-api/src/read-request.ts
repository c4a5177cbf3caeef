import { type AnySchema, issues, printPath, secret } from '@wayleave/jsonrpc-core/schema'
import { AdminError, type AdminIssue, invalid } from './error.ts'
import { type AdminRequest, maxAdminBody } from './message.ts'
import { parseJson } from './parse-json.ts'

/** Reads and checks the body of a request. @throws AdminError */
export function readBody({ body, headers }: AdminRequest, schema: AnySchema): unknown {
  if (body !== undefined && body.length > maxAdminBody) {
    throw new AdminError('too_large', `expected at most ${maxAdminBody} bytes`)
  }
  if (body === undefined || body.length === 0) return checked(schema, {}, '')
  const type = headers['content-type']
  if (typeof type !== 'string' || !/^application\/json *(?:;|$)/i.test(type)) {
    throw new AdminError('unsupported_type', 'expected Content-Type: application/json')
  }
  const coding = headers['content-encoding']
  if (coding !== undefined && coding !== 'identity') {
    throw new AdminError('unsupported_type', 'expected a body that is not compressed')
  }
  return checked(schema, parseJson(body), '')
}

/** Reads and checks the query of a request: numbers and lists, divided by commas, are written as texts. @throws AdminError */
export function readQuery(text: string | undefined, schema: AnySchema): unknown {
  const members = new Map(schema.parts?.kind === 'object' ? schema.parts.members : [])
  const values = new Map<string, unknown>()
  const wrong: AdminIssue[] = []
  for (const [name, value] of new URLSearchParams(text ?? '')) {
    const member = members.get(name)
    if (values.has(name)) wrong.push({ path: `query.${name.slice(0, 64)}`, message: 'expected it once' })
    values.set(name, member === undefined ? value : valueOf(value, 'optional' in member ? member.optional : member))
  }
  if (wrong.length > 0) throw invalid(wrong)
  return checked(schema, Object.fromEntries(values), 'query')
}

/** Reads a query parameter as its schema has it; a text that is no number stays one, and is refused. */
function valueOf(text: string, { check, parts }: AnySchema): unknown {
  if (parts?.kind === 'array') return text.split(',')
  return /^\d{1,16}$/.test(text) && check(text, '') !== undefined ? Number(text) : text
}

/** Returns a value that a schema takes. Issues hide it: it may be a key or a secret in the wrong place. @throws AdminError `invalid` */
function checked(schema: AnySchema, value: unknown, at: string): unknown {
  const found = issues(secret(schema as never), value)
  if (found.length === 0) return value
  throw invalid(
    found.map(({ path, expected, received, hint }) => {
      const place = printPath(path.map((step) => (typeof step === 'string' ? step.slice(0, 64) : step)))
      const dot = at !== '' && place !== '' && !place.startsWith('[') ? '.' : ''
      const got = received === 'another value' ? '' : `, got ${received}`
      return { path: at + dot + place, message: `expected ${expected}${got}${hint === undefined ? '' : `; ${hint}`}` }
    }),
  )
}
