import { createApiKey, createApiSecret, type Digest, sha256Hex } from '@wayleave/auth'
import { type Clock, systemClock } from '@wayleave/jsonrpc-core'
import { type AdminToken, createTokenCheck } from './admin-token.ts'
import { createConfigured, withFurtherPlans } from './configured.ts'
import { randomHex } from './defaults.ts'
import { AdminError, notFound } from './error.ts'
import type { AdminEvents } from './events.ts'
import { adminPrefix, type AdminRequest, type AdminResponse } from './message.ts'
import type { KeyForm } from './model/key.ts'
import { openApi, type OpenApiDocument, openApiDocument } from './openapi.ts'
import type { AccountPort, ConfiguredAccounts, GatewayPorts, UsagePort } from './ports.ts'
import { errorOfStore, problemAnswer } from './problem.ts'
import { readBody, readQuery } from './read-request.ts'
import { route, type Route } from './routes/route.ts'
import { createRoutes } from './routes/route-table.ts'

export interface AdminApiOptions extends GatewayPorts {
  readonly accounts: AccountPort
  readonly usage: UsagePort
  /** None: every request is refused but those that the host has judged. */
  readonly tokens: readonly AdminToken[]
  /** The accounts of the configuration. Default: none. */
  readonly configured?: ConfiguredAccounts
  readonly clock?: Pick<Clock, 'date'>
  /** Makes the text of a key. Default: `createApiKey` of `auth`, or 32 random hex digits. */
  readonly newKey?: (form: KeyForm) => string
  /** Makes the text of a secret. Default: `createApiSecret` of `auth`. */
  readonly newSecret?: () => string
  /** Makes the id of a record, and of a line of the log. Default: 16 random hex digits. */
  readonly newId?: () => string
  /** Default: that of `auth`; in Node, one over `node:crypto` is faster. */
  readonly sha256?: Digest
  /** Called with each fault of the service, for its log. `id` is in the answer, too. `route` has no ids of records. */
  readonly onFailure?: (failure: { readonly error: unknown; readonly route: string; readonly id: string }) => void
}

/** The API as a function of plain data. */
export interface AdminApi {
  /** Answers a request. Never rejects. */
  handle(request: AdminRequest): Promise<AdminResponse>
  readonly document: OpenApiDocument
}

interface Matched {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

/** Creates the API. @throws AdminError `invalid_options` for tokens that cannot be used */
export function createAdminApi(options: AdminApiOptions): AdminApi {
  const { clock = systemClock, sha256 = sha256Hex, onFailure, newId = () => randomHex(8) } = options
  const { newKey = (form) => (form === 'hex' ? randomHex(16) : createApiKey()), newSecret = () => createApiSecret() } =
    options
  const findToken = createTokenCheck(options.tokens, sha256)
  const configured = createConfigured(options.configured ?? { projects: [] })
  const accounts = withFurtherPlans(options.accounts, configured.plans)
  const { usage, networks, gas, streams, pins, verification, methods, traffic, calls, processes, replay } = options
  const documentRoute = route<unknown, unknown, object>({
    method: 'GET',
    path: '/openapi.json',
    summary: 'Get this document',
    scopes: [],
    result: openApi,
    run: () => readDocument(),
  })
  const ports = { networks, gas, streams, pins, verification, methods, traffic, calls, processes, replay }
  const context = { ...ports, accounts, usage, configured, sha256, newKey, newSecret, newId }
  const routes = [documentRoute, ...createRoutes(context)]
  // Made when somebody asks for it: a gateway makes an API for each configuration that it takes.
  let document: OpenApiDocument | undefined
  const readDocument = (): OpenApiDocument => (document ??= openApiDocument(routes))

  async function answer(request: AdminRequest, found: (route: Route) => void): Promise<AdminResponse> {
    const { authorization } = request.headers
    const at = clock.date()
    const by = request.as ?? findToken(typeof authorization === 'string' ? authorization : undefined, at)
    const matches = routes.flatMap((candidate): readonly Matched[] => {
      const params = matchPath(candidate.path, request.path)
      return params === undefined ? [] : [{ route: candidate, params }]
    })
    if (matches.length === 0) throw notFound(`such route: ${adminPrefix}/openapi.json lists all`)
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const match = matches.find((candidate) => candidate.route.method === method)
    if (match === undefined) {
      const allowed = matches.map((candidate) => candidate.route.method).join(', ')
      return problemAnswer(new AdminError('method_not_allowed', `use ${allowed}`), { allow: allowed })
    }
    const { route: chosen, params } = match
    found(chosen)
    if (chosen.scopes.length > 0 && ![...chosen.scopes, 'all' as const].some((scope) => by.scopes.includes(scope))) {
      throw new AdminError('forbidden', `the admin token "${by.name}" needs the scope ${chosen.scopes.join(' or ')}`)
    }
    const query = chosen.query === undefined ? undefined : readQuery(request.query, chosen.query)
    const body = chosen.body === undefined ? undefined : readBody(request, chosen.body)
    const result = await chosen.run({ params, query, body, by: { actor: by.name, at } })
    if (chosen.events !== undefined) return eventAnswer(result as AdminEvents)
    if (chosen.result === undefined) return { status: 204, headers: { 'cache-control': 'no-store' }, body: '' }
    return jsonAnswer(chosen.status ?? 200, result)
  }

  return {
    get document() {
      return readDocument()
    },
    async handle(request) {
      let routeName = 'none'
      try {
        const answered = await answer(request, ({ method, path }) => void (routeName = `${method} ${path}`))
        const { status, headers } = answered
        return request.method === 'HEAD' ? { status, headers, body: '' } : answered
      } catch (thrown) {
        const known = thrown instanceof AdminError ? thrown : errorOfStore(thrown)
        if (known !== undefined) return problemAnswer(known)
        const id = newId()
        try {
          onFailure?.({ error: thrown, route: routeName, id })
        } catch {
          // The caller gets the answer all the same.
        }
        return problemAnswer(new AdminError('internal', `something is wrong here: the log explains it under ${id}`))
      }
    },
  }
}

/** Matches a path with that of a route; undefined where they differ. A parameter is what an id or the name of an upstream may be. */
function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const expected = `${adminPrefix}${pattern}`.split('/')
  const parts = path.split('/')
  if (parts.length !== expected.length) return undefined
  const params: Record<string, string> = {}
  for (const [i, part] of parts.entries()) {
    const name = /^\{(\w+)\}$/.exec(expected[i]!)?.[1]
    if (name === undefined) {
      if (part !== expected[i]) return undefined
      continue
    }
    const value = decoded(part)
    if (value === undefined || !/^(?!\.{1,2}$)[\w.:@[\]-]{1,256}$/.test(value)) return undefined
    params[name] = value
  }
  return params
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function eventAnswer(events: AdminEvents): AdminResponse {
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }
  return { status: 200, headers, body: '', events }
}

function jsonAnswer(status: 200 | 201, value: unknown): AdminResponse {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  return { status, headers, body: JSON.stringify(value) }
}
