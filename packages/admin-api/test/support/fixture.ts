import { createHash, generateKeyPairSync } from 'node:crypto'
import {
  type AdminApi,
  type AdminApiOptions,
  type AdminResponse,
  type AdminScope,
  type ConfiguredAccounts,
  createAdminApi,
  type LiveCallQuery,
  type NetworkRecord,
  type OpenApiDocument,
} from '@wayleave/admin-api'
import { sha256Hex } from '@wayleave/auth'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import { createVerification, gas, methods, replay, streams } from './gateway-parts.ts'
import { openStores, type Stores, type StoresOptions } from './stores.ts'

export const configuredKey = 'f'.repeat(32)
export const configured: ConfiguredAccounts = {
  plans: [{ id: 'fixed-plan', name: 'Fixed', limits: { perDay: { credits: 5 } } }],
  projects: [
    {
      id: 'fixed',
      name: 'Fixed',
      rules: { methods: ['eth_call'] },
      keys: [{ id: 'fixed-key', digest: sha256Hex(configuredKey), label: 'of the file' }],
    },
  ],
}

export const pem = newPem()

export function newPem(): string {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return publicKey.export({ type: 'spki', format: 'pem' }) as string
}

export const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The token with one scope. */
export const tokenOf = (scope: AdminScope): string => `token-with-the-scope-${scope}`
export const expiredToken = 'token-that-has-expired'
const scopes: readonly AdminScope[] = ['read', 'accounts', 'usage', 'networks', 'ipfs', 'all']

/** A request, in short: `GET /projects?limit=1`. */
interface Ask {
  readonly body?: unknown
  /** The body as it is sent. */
  readonly raw?: string | Uint8Array
  readonly token?: string | undefined
  readonly headers?: Readonly<Record<string, string | undefined>>
}

// oxlint-disable-next-line typescript/no-explicit-any -- Tests read what they expect.
export type Loose = any

interface Answered {
  readonly events: AdminResponse['events'] | undefined
  readonly status: number
  readonly headers: AdminResponse['headers']
  readonly body: Loose
  readonly text: string
}

export interface Fixture extends AsyncDisposable {
  readonly api: AdminApi
  readonly stores: Stores
  readonly networks: Map<string, string | undefined>
  readonly clock: { now: number }
  /** The moment from which on traffic is counted. */
  readonly since: number
  /** The calls that readers of the live tail asked for. */
  readonly wanted: LiveCallQuery[]
  /** Everything that was answered. */
  readonly answers: string[]
  /** Operations that were answered with 2xx. */
  readonly covered: Set<string>
  /** The faults of the service. */
  readonly failures: unknown[]
  /** Asks the API, and holds the answer to its document. */
  ask(what: string, ask?: Ask): Promise<Answered>
}

export async function openFixture(
  where: StoresOptions = { sqlite: ':memory:' },
  options: Partial<AdminApiOptions> | ((stores: Stores) => Partial<AdminApiOptions>) = {},
): Promise<Fixture> {
  const stores = await openStores(where)
  const clock = { now: 1_700_000_000_000 }
  const since = clock.now - 60_000
  const wanted: LiveCallQuery[] = []
  const answers: string[] = []
  const covered = new Set<string>()
  const failures: unknown[] = []
  /** Reasons of cordons. */
  const networks = new Map<string, string | undefined>([['node-1', undefined]])
  const api = createAdminApi({
    accounts: stores.accounts,
    usage: stores.usage,
    networks: {
      list: (): readonly NetworkRecord[] => [
        {
          name: 'mainnet',
          upstreams: Array.from(networks, ([name, cordoned]) => ({
            name,
            isUp: cordoned === undefined,
            ...(cordoned !== undefined && { cordoned, reason: cordoned }),
            head: 5,
          })),
        },
      ],
      cordon(network, upstream, reason) {
        if (network !== 'mainnet' || !networks.has(upstream)) return false
        networks.set(upstream, reason)
        return true
      },
    },
    gas,
    streams,
    replay,
    pins: stores.pins,
    verification: createVerification(),
    methods,
    traffic: {
      since,
      points: (_step, from) => [
        { at: from, calls: 3, errors: 0, p50: 1.5, cacheHits: 1, cacheAsked: 2, sockets: 0, streams: 0 },
      ],
      times: () => ({ p50: 1.5, p99: 7 }),
      open: () => ({ calls: 2, oldestMs: 31_000, network: 'mainnet' }),
    },
    calls: {
      live(query) {
        wanted.push(query)
        return () => () => {}
      },
    },
    processes: { list: () => [{ process: 'a:1', startedAt: since, version: '1.2.3', workers: 2 }] },
    tokens: [
      ...scopes.map((scope) => ({ name: `t-${scope}`, tokenHash: hash(tokenOf(scope)), scopes: [scope] })),
      { name: 'expired', tokenHash: hash(expiredToken), scopes: ['all' as const], expiresAt: clock.now },
    ],
    configured,
    clock: { date: () => clock.now },
    sha256: hash,
    onFailure: ({ error }) => failures.push(error),
    ...(typeof options === 'function' ? options(stores) : options),
  })
  const hold = holdTo(api.document)

  return {
    api,
    stores,
    networks,
    clock,
    since,
    wanted,
    answers,
    covered,
    failures,
    async ask(what, { body, raw, token = tokenOf('all'), headers = {} } = {}) {
      const [, method = '', path = '', query] = /^(\w+) ([^?]*)(?:\?(.*))?$/.exec(what)!
      const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body))
      const response = await api.handle({
        method,
        path: path.startsWith('/admin') ? path : `/admin/v1${path}`,
        query,
        headers: {
          ...(token !== '' && { authorization: `Bearer ${token}` }),
          ...(sent !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        body: typeof sent === 'string' ? new TextEncoder().encode(sent) : sent,
      })
      answers.push(JSON.stringify(response))
      expect(response.headers['cache-control']).toBe('no-store')
      const operation = hold(method, path, body, response)
      if (operation !== undefined && response.status < 300) covered.add(operation)
      const { events } = response
      const value: unknown = response.body === '' ? undefined : JSON.parse(response.body)
      return { status: response.status, headers: response.headers, body: value, text: response.body, events }
    },
    [Symbol.asyncDispose]: () => stores.close(),
  }
}

/** Makes the check that an exchange is as a document says. It returns the operation; undefined where there is none. */
function holdTo(document: OpenApiDocument) {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  ajv.addSchema(document, 'document')
  const compiled = new Map<string, ValidateFunction>()
  const paths = Object.keys(document.paths).map((path) => ({
    path,
    pattern: new RegExp(`^(?:/admin/v1)?${path.replaceAll(/\{\w+\}/g, '[^/]+').replaceAll('.', '\\.')}$`),
  }))

  function expectValid(ref: string | undefined, value: unknown, what: string): void {
    expect(ref, `${what}: no schema`).toBeDefined()
    const validate = compiled.get(ref!) ?? ajv.compile({ $ref: `document${ref}` })
    compiled.set(ref!, validate)
    const isValid = validate(value)
    expect(isValid, `${what}: ${JSON.stringify(validate.errors)} ${JSON.stringify(value).slice(0, 500)}`).toBe(true)
  }

  return (
    method: string,
    asked: string,
    sent: unknown,
    { status, headers, body }: AdminResponse,
  ): string | undefined => {
    const found = paths.find(({ pattern }) => pattern.test(asked))
    const operation = found && document.paths[found.path]![(method === 'HEAD' ? 'GET' : method).toLowerCase()]
    const what = `${method} ${asked} ${status}`
    if (operation === undefined) {
      if (body !== '') expectValid('#/components/schemas/Problem', JSON.parse(body), what)
      return undefined
    }
    const said = operation.responses[status] as Content | undefined
    expect(said, `${what}: ${body}`).toBeDefined()
    if (body !== '') expectValid(refOf(said, headers['content-type']!), JSON.parse(body), what)
    const asksFor = operation.requestBody as Content | undefined
    if (status < 300 && sent !== undefined && asksFor !== undefined) {
      expectValid(refOf(asksFor, 'application/json'), sent, `${what}, its body`)
    }
    return `${method} ${found!.path}`
  }
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>>
}

function refOf({ content }: Content = {}, type: string): string | undefined {
  return content?.[type]?.schema.$ref
}
