import type {
  AuditEntry,
  CreatedKey,
  CreatedSecret,
  GasHistory,
  GasRecord,
  Items,
  JwtKey,
  Key,
  KeyPatch,
  KeyRotation,
  NetworkRecord,
  NewJwtKey,
  NewKey,
  NewProject,
  NewSecret,
  Page,
  PageQuery,
  Pin,
  Plan,
  PlanFields,
  ProcessRecord,
  Project,
  ProjectPatch,
  ReplayRecord,
  RotatedKey,
  StreamRecord,
  Traffic,
  TrafficQuery,
  Usage,
  UsageQuery,
} from '@wayleave/admin-api'
import { ask, at } from './ask.ts'
import type { Explanation, Session, Status } from './model.ts'

type Signal = AbortSignal | undefined

const v1 = '/admin/v1'
const list = <T>(path: string, { limit, after }: PageQuery = {}, signal?: Signal): Promise<Page<T>> =>
  ask('GET', v1 + path, { query: { limit, after }, signal })

/** The API of operators as functions. All of them reject with ConsoleError. */
export const admin = {
  session: (): Promise<Session> => ask('GET', '/console/session'),
  signIn: (token: string): Promise<Session> => ask('POST', '/console/session', { body: { token } }),
  signOut: (): Promise<void> => ask('DELETE', '/console/session'),

  status: (signal?: Signal): Promise<Status> => ask('GET', '/status', { signal }),
  explain: (id: string, signal?: Signal): Promise<{ readonly calls: readonly Explanation[] }> =>
    ask('GET', at`/explain/${id}`, { signal }),
  replay: (): Promise<ReplayRecord> => ask('POST', `${v1}/replay`),
  processes: (signal?: Signal): Promise<Items<ProcessRecord>> => ask('GET', `${v1}/processes`, { signal }),
  traffic: ({ from, to, step }: TrafficQuery, signal?: Signal): Promise<Traffic> =>
    ask('GET', `${v1}/traffic`, { query: { from, to, step }, signal }),
  usage: ({ by, ...query }: UsageQuery, signal?: Signal): Promise<Usage> =>
    ask('GET', `${v1}/usage`, { query: { ...query, by: by?.join(',') }, signal }),

  networks: (signal?: Signal): Promise<Items<NetworkRecord>> => ask('GET', `${v1}/networks`, { signal }),
  cordon: (network: string, upstream: string, reason: string): Promise<void> =>
    ask('PUT', v1 + at`/networks/${network}/upstreams/${upstream}/cordon`, { body: { reason } }),
  uncordon: (network: string, upstream: string): Promise<void> =>
    ask('DELETE', v1 + at`/networks/${network}/upstreams/${upstream}/cordon`),

  projects: (page?: PageQuery, signal?: Signal): Promise<Page<Project>> => list('/projects', page, signal),
  project: (id: string, signal?: Signal): Promise<Project> => ask('GET', v1 + at`/projects/${id}`, { signal }),
  createProject: (body: NewProject): Promise<Project> => ask('POST', `${v1}/projects`, { body }),
  updateProject: (id: string, body: ProjectPatch): Promise<Project> => ask('PATCH', v1 + at`/projects/${id}`, { body }),
  removeProject: (id: string): Promise<void> => ask('DELETE', v1 + at`/projects/${id}`),

  keys: (project: string, page?: PageQuery, signal?: Signal): Promise<Page<Key>> =>
    list(at`/projects/${project}/keys`, page, signal),
  createKey: (project: string, body: NewKey): Promise<CreatedKey> =>
    ask('POST', v1 + at`/projects/${project}/keys`, { body }),
  updateKey: (project: string, key: string, body: KeyPatch): Promise<Key> =>
    ask('PATCH', v1 + at`/projects/${project}/keys/${key}`, { body }),
  rotateKey: (project: string, key: string, body: KeyRotation): Promise<RotatedKey> =>
    ask('POST', v1 + at`/projects/${project}/keys/${key}/rotate`, { body }),
  revokeKey: (project: string, key: string): Promise<void> => ask('DELETE', v1 + at`/projects/${project}/keys/${key}`),
  createSecret: (project: string, key: string, body: NewSecret): Promise<CreatedSecret> =>
    ask('POST', v1 + at`/projects/${project}/keys/${key}/secrets`, { body }),
  removeSecret: (project: string, key: string, secret: string): Promise<void> =>
    ask('DELETE', v1 + at`/projects/${project}/keys/${key}/secrets/${secret}`),
  addJwtKey: (project: string, body: NewJwtKey): Promise<JwtKey> =>
    ask('POST', v1 + at`/projects/${project}/jwt-keys`, { body }),
  removeJwtKey: (project: string, kid: string): Promise<void> =>
    ask('DELETE', v1 + at`/projects/${project}/jwt-keys/${kid}`),

  plans: (page?: PageQuery, signal?: Signal): Promise<Page<Plan>> => list('/plans', page, signal),
  putPlan: (id: string, body: PlanFields): Promise<Plan> => ask('PUT', v1 + at`/plans/${id}`, { body }),
  removePlan: (id: string): Promise<void> => ask('DELETE', v1 + at`/plans/${id}`),

  audit: (
    query: { project?: string | undefined; after?: string | undefined; limit?: number },
    signal?: Signal,
  ): Promise<Page<AuditEntry>> => ask('GET', `${v1}/audit`, { query, signal }),

  gas: (signal?: Signal): Promise<Items<GasRecord>> => ask('GET', `${v1}/gas`, { signal }),
  gasOf: (network: string, signal?: Signal): Promise<GasHistory> => ask('GET', v1 + at`/gas/${network}`, { signal }),
  streams: (signal?: Signal): Promise<Items<StreamRecord>> => ask('GET', `${v1}/streams`, { signal }),

  pins: (project: string, page: PageQuery, signal?: Signal): Promise<Page<Pin>> =>
    list(at`/ipfs/${project}/pins`, page, signal),
  openRpc: (kind: string, signal?: Signal): Promise<unknown> => ask('GET', v1 + at`/openrpc/${kind}`, { signal }),
}

/** Lists the items of all pages, `most` at most. */
export async function allOf<T>(
  read: (page: PageQuery) => Promise<Page<T>>,
  { most = 20_000, onMore }: { readonly most?: number; readonly onMore?: (items: readonly T[]) => void } = {},
): Promise<readonly T[]> {
  const all: T[] = []
  let after: string | undefined
  do {
    const { items, next }: Page<T> = await read({ limit: 1_000, ...(after !== undefined && { after }) })
    all.push(...items)
    after = next
    onMore?.(all)
  } while (after !== undefined && all.length < most)
  return all
}
