import { AdminError } from './error.ts'
import { adminPrefix } from './message.ts'
import type { NetworkFamily } from './method-port.ts'
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
import type { GasRecord } from './gas-port.ts'
import type { GasHistory } from './model/gas.ts'
import type { Cordon } from './model/network.ts'
import type { Items, Page, PageQuery } from './model/page.ts'
import type { Pin } from './model/pin.ts'
import type { Plan, PlanFields } from './model/plan.ts'
import type { JwtKey, NewJwtKey, NewProject, Project, ProjectPatch } from './model/project.ts'
import type { AppliedState, DesiredState, ImportedKeys, ImportResult } from './model/state.ts'
import type { PinVerification } from './pin-port.ts'
import type { NetworkRecord, ProcessRecord } from './ports.ts'
import type { ReplayRecord } from './replay-port.ts'
import type { StreamRecord } from './stream-port.ts'
import type { Traffic, TrafficQuery } from './model/traffic.ts'
import type { Usage, UsageQuery } from './model/usage.ts'
import type { OpenApiDocument } from './openapi.ts'
import { type AdminClientOptions, createSend } from './send-request.ts'

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
    list(): Promise<readonly NetworkRecord[]>
    cordon(network: string, upstream: string, cordon?: Cordon): Promise<void>
    uncordon(network: string, upstream: string): Promise<void>
  }
  readonly gas: {
    list(): Promise<readonly GasRecord[]>
    get(network: string): Promise<GasHistory>
  }
  streams(): Promise<readonly StreamRecord[]>
  pins(project: string, query?: PageQuery): Promise<Page<Pin>>
  readonly verification: {
    /** Begins to read all blocks that projects pin, unless that is under way. */
    start(): Promise<PinVerification>
    /** Rejects with `not_found` where there was none since the start. */
    get(): Promise<PinVerification>
  }
  /** Gets the methods of a kind of networks, as an OpenRPC document. */
  methods(kind: NetworkFamily): Promise<object>
  usage(query?: UsageQuery): Promise<Usage>
  /** Asks for the traffic of the gateway itself, without a store; `usage` has that of all, for longer. */
  traffic(query?: TrafficQuery): Promise<Traffic>
  processes(): Promise<readonly ProcessRecord[]>
  /** Replays the last calls against the configuration file. Nothing changes. */
  replay(): Promise<ReplayRecord>
  audit(query?: AuditQuery): Promise<Page<AuditEntry>>
  apply(state: DesiredState): Promise<AppliedState>
  document(): Promise<OpenApiDocument>
}

/** Creates a client. @throws AdminError `invalid_options` */
export function createAdminClient(options: AdminClientOptions): AdminClient {
  const send = createSend(options)

  async function ask<T>(method: string, path: string, { query = {}, body }: Parts = {}): Promise<T> {
    if (/\/(?:\/|$)/.test(path)) throw new AdminError('not_found', 'an id is empty, or made of dots alone')
    return (await send(method, adminPrefix + path, query, body)) as T
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
      list: async () => (await ask<Items<NetworkRecord>>('GET', '/networks')).items,
      cordon: (network, upstream, body = {}) =>
        ask('PUT', at`/networks/${network}/upstreams/${upstream}/cordon`, { body }),
      uncordon: (network, upstream) => ask('DELETE', at`/networks/${network}/upstreams/${upstream}/cordon`),
    },
    gas: {
      list: async () => (await ask<Items<GasRecord>>('GET', '/gas')).items,
      get: (network) => ask('GET', at`/gas/${network}`),
    },
    streams: async () => (await ask<Items<StreamRecord>>('GET', '/streams')).items,
    pins: (project, query) => ask('GET', at`/ipfs/${project}/pins`, { query }),
    verification: { start: () => ask('POST', '/ipfs/verify'), get: () => ask('GET', '/ipfs/verify') },
    methods: (kind) => ask('GET', at`/openrpc/${kind}`),
    usage: (query) => ask('GET', '/usage', { query }),
    traffic: (query) => ask('GET', '/traffic', { query }),
    replay: () => ask('POST', '/replay'),
    processes: async () => (await ask<Items<ProcessRecord>>('GET', '/processes')).items,
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

/** A path with ids in it. Dots alone would lead elsewhere, so they leave a gap. */
function at(parts: TemplateStringsArray, ...ids: readonly string[]): string {
  return String.raw(parts, ...ids.map((id) => (/^\.{1,2}$/.test(id) ? '' : encodeURIComponent(id))))
}
