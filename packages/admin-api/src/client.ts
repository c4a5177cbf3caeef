import { type Clock, systemClock } from '@wayleave/jsonrpc-core'
import { AdminError, type AdminErrorCode, type AdminIssue } from './error.ts'
import type { AdminApi } from './admin-api.ts'
import { systemFetch } from './defaults.ts'
import { adminPrefix } from './message.ts'
import type { AuditEntry, AuditQuery } from './model/audit.ts'
import type {
  CreatedKey,
  CreatedSecret,
  Key,
  KeyPatch,
  KeyRotation,
  NewKey,
  NewSecret,
  RotatedKey,
} from './model/key.ts'
import type { Cordon, Network } from './model/network.ts'
import type { Page, PageQuery } from './model/page.ts'
import type { Plan, PlanFields } from './model/plan.ts'
import type { Processes } from './model/process.ts'
import type { JwtKey, NewJwtKey, NewProject, Project, ProjectPatch } from './model/project.ts'
import type { AppliedState, DesiredState, ImportedKeys, ImportResult } from './model/state.ts'
import type { ProcessRecord } from './ports.ts'
import type { Traffic, TrafficQuery } from './model/traffic.ts'
import type { Usage, UsageQuery } from './model/usage.ts'
import type { OpenApiDocument } from './openapi.ts'
import { problems } from './problem.ts'

/** The API to ask: over HTTP, or in this process. */
export type AdminClientOptions = {
  readonly token: string
  /** Milliseconds after which a question is given up. Default 30,000. */
  readonly timeoutMs?: number
} & (
  | {
      /** The admin listener: `http://127.0.0.1:9090`. The token goes there, so use https beyond this machine. */
      readonly url: string
      readonly fetch?: typeof fetch
      readonly clock?: Pick<Clock, 'after'>
      readonly handle?: undefined
    }
  | { readonly handle: AdminApi['handle']; readonly url?: undefined }
)

/** The API as functions. All of them reject with AdminError, whose `code` is that of the answer. */
export interface AdminClient {
  readonly projects: {
    list(query?: PageQuery): Promise<Page<Project>>
    create(project: NewProject): Promise<Project>
    get(project: string): Promise<Project>
    update(project: string, patch: ProjectPatch): Promise<Project>
    remove(project: string): Promise<void>
  }
  readonly keys: {
    list(project: string, query?: PageQuery): Promise<Page<Key>>
    create(project: string, key?: NewKey): Promise<CreatedKey>
    get(project: string, key: string): Promise<Key>
    update(project: string, key: string, patch: KeyPatch): Promise<Key>
    rotate(project: string, key: string, rotation?: KeyRotation): Promise<RotatedKey>
    /** Resolves once the key is revoked for good. */
    revoke(project: string, key: string): Promise<void>
    import(keys: ImportedKeys): Promise<ImportResult>
  }
  readonly secrets: {
    create(project: string, key: string, secret?: NewSecret): Promise<CreatedSecret>
    remove(project: string, key: string, secret: string): Promise<void>
  }
  readonly jwtKeys: {
    add(project: string, key: NewJwtKey): Promise<JwtKey>
    remove(project: string, kid: string): Promise<void>
  }
  readonly plans: {
    list(query?: PageQuery): Promise<Page<Plan>>
    put(plan: string, fields: PlanFields): Promise<Plan>
    remove(plan: string): Promise<void>
  }
  readonly networks: {
    list(): Promise<readonly Network[]>
    cordon(network: string, upstream: string, cordon?: Cordon): Promise<void>
    uncordon(network: string, upstream: string): Promise<void>
  }
  usage(query?: UsageQuery): Promise<Usage>
  /** Asks for the traffic of the gateway itself, without a store; `usage` has that of all, for longer. */
  traffic(query?: TrafficQuery): Promise<Traffic>
  processes(): Promise<readonly ProcessRecord[]>
  audit(query?: AuditQuery): Promise<Page<AuditEntry>>
  apply(state: DesiredState): Promise<AppliedState>
  document(): Promise<OpenApiDocument>
}

/** An answer, over HTTP or not. */
interface Answer {
  readonly status: number
  readonly type: string
  readonly body: string
}

type Send = (method: string, path: string, query: string, body: string | undefined) => Promise<Answer>

/** Creates a client. @throws AdminError `invalid_options` */
export function createAdminClient(options: AdminClientOptions): AdminClient {
  const send = options.handle === undefined ? overHttp(options) : inProcess(options)

  async function ask<T>(method: string, path: string, { query = {}, body }: Parts = {}): Promise<T> {
    if (/\/(?:\/|$)/.test(path)) throw new AdminError('not_found', 'an id is empty, or made of dots alone')
    const text = body === undefined ? undefined : JSON.stringify(body)
    const answer = await send(method, adminPrefix + path, printQuery(query), text)
    return readAnswer(answer) as T
  }

  return {
    projects: {
      list: (query) => ask('GET', '/projects', { query }),
      create: (body) => ask('POST', '/projects', { body }),
      get: (project) => ask('GET', at`/projects/${project}`),
      update: (project, body) => ask('PATCH', at`/projects/${project}`, { body }),
      remove: (project) => ask('DELETE', at`/projects/${project}`),
    },
    keys: {
      list: (project, query) => ask('GET', at`/projects/${project}/keys`, { query }),
      create: (project, body = {}) => ask('POST', at`/projects/${project}/keys`, { body }),
      get: (project, key) => ask('GET', at`/projects/${project}/keys/${key}`),
      update: (project, key, body) => ask('PATCH', at`/projects/${project}/keys/${key}`, { body }),
      rotate: (project, key, body = {}) => ask('POST', at`/projects/${project}/keys/${key}/rotate`, { body }),
      revoke: (project, key) => ask('DELETE', at`/projects/${project}/keys/${key}`),
      import: (body) => ask('POST', '/keys/import', { body }),
    },
    secrets: {
      create: (project, key, body = {}) => ask('POST', at`/projects/${project}/keys/${key}/secrets`, { body }),
      remove: (project, key, secret) => ask('DELETE', at`/projects/${project}/keys/${key}/secrets/${secret}`),
    },
    jwtKeys: {
      add: (project, body) => ask('POST', at`/projects/${project}/jwt-keys`, { body }),
      remove: (project, kid) => ask('DELETE', at`/projects/${project}/jwt-keys/${kid}`),
    },
    plans: {
      list: (query) => ask('GET', '/plans', { query }),
      put: (plan, body) => ask('PUT', at`/plans/${plan}`, { body }),
      remove: (plan) => ask('DELETE', at`/plans/${plan}`),
    },
    networks: {
      list: async () => (await ask<{ readonly items: readonly Network[] }>('GET', '/networks')).items,
      cordon: (network, upstream, body = {}) =>
        ask('PUT', at`/networks/${network}/upstreams/${upstream}/cordon`, { body }),
      uncordon: (network, upstream) => ask('DELETE', at`/networks/${network}/upstreams/${upstream}/cordon`),
    },
    usage: (query) => ask('GET', '/usage', { query }),
    traffic: (query) => ask('GET', '/traffic', { query }),
    processes: async () => (await ask<Processes>('GET', '/processes')).items,
    audit: (query) => ask('GET', '/audit', { query }),
    apply: (body) => ask('POST', '/apply', { body }),
    document: () => ask('GET', '/openapi.json'),
  }
}

/** Lists the items of all pages: `allPages((page) => client.projects.list(page))`. */
export async function* allPages<T>(list: (query: PageQuery) => Promise<Page<T>>): AsyncGenerator<T, void> {
  let after: string | undefined
  do {
    const { items, next }: Page<T> = await list({ limit: 1_000, ...(after !== undefined && { after }) })
    yield* items
    after = next
  } while (after !== undefined)
}

interface Parts {
  readonly query?: object | undefined
  readonly body?: unknown
}

const defaultTimeoutMs = 30_000
/** Bytes; a thousand projects with all that they may have are fewer. */
const longestAnswer = 64 * 1_048_576

function overHttp(options: AdminClientOptions & { readonly url: string }): Send {
  const { url, token, fetch: send = systemFetch, timeoutMs = defaultTimeoutMs, clock = systemClock } = options
  const base = URL.canParse(url) ? new URL(url) : undefined
  if (base === undefined || !/^https?:$/.test(base.protocol) || base.username !== '' || base.password !== '') {
    throw new AdminError('invalid_options', 'url: expected an http or https URL without credentials')
  }
  return async (method, path, query, body) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const controller = new AbortController()
    const cancel = clock.after(timeoutMs, () => controller.abort())
    try {
      const response = await send(`${base.origin}${path}${query}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...type },
        // The token goes to nobody else.
        redirect: 'error',
        signal: controller.signal,
        ...(body !== undefined && { body }),
      })
      const text = await readText(response)
      return { status: response.status, type: response.headers.get('content-type') ?? '', body: text }
    } catch (cause) {
      if (cause instanceof AdminError) throw cause
      throw new AdminError('unreachable', `${base.origin} gave no answer: is the admin listener there?`, { cause })
    } finally {
      cancel()
    }
  }
}

/** @throws AdminError `unreadable` */
async function readText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let [text, size] = ['', 0]
  // Leaving the loop ends the exchange.
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > longestAnswer) throw unreadable(`one of more than ${longestAnswer} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function unreadable(got: string): AdminError {
  return new AdminError('unreadable', `expected an answer of the admin API, got ${got}: check the URL`)
}

function inProcess({ handle, token }: AdminClientOptions & { readonly handle: AdminApi['handle'] }): Send {
  return async (method, path, query, body) => {
    const {
      status,
      headers,
      body: text,
    } = await handle({
      method,
      path,
      query: query.slice(1),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : new TextEncoder().encode(body),
    })
    return { status, type: headers['content-type'] ?? '', body: text }
  }
}

/** @throws AdminError */
function readAnswer({ status, type, body }: Answer): unknown {
  if (status === 204) return undefined
  const value = /^application\/(?:problem\+)?json\b/.test(type) ? parse(body) : undefined
  if ((status === 200 || status === 201) && value !== undefined) return value
  const {
    code,
    detail,
    issues = [],
  } = (value ?? {}) as {
    readonly code?: unknown
    readonly detail?: unknown
    readonly issues?: readonly AdminIssue[]
  }
  if (typeof code !== 'string' || typeof detail !== 'string' || !Object.hasOwn(problems, code)) {
    throw unreadable(`HTTP status ${status}`)
  }
  throw new AdminError(code as AdminErrorCode, detail, { issues })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function printQuery(query: object): string {
  // An empty list is the default, and would read as a list with an empty entry.
  const values = Object.entries(query).filter(([, value]) => value !== undefined && !isEmpty(value))
  const text = new URLSearchParams(values.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

/** A path with ids in it. Dots alone would lead elsewhere, so they leave a gap. */
function at(parts: TemplateStringsArray, ...ids: readonly string[]): string {
  return String.raw(parts, ...ids.map((id) => (/^\.{1,2}$/.test(id) ? '' : encodeURIComponent(id))))
}
