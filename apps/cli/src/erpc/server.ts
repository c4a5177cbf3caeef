import type { Config } from '@wayleave/gateway'
import { readDuration, readSize } from './go-values.ts'
import type { Cursor } from './ledger.ts'

/** Members of a configuration that are of the whole process. */
export type ServerSettings = Pick<Config, 'listen' | 'admin' | 'limits' | 'cache' | 'redis' | 'trustedProxies'>

/** Reads the server, the metrics and the databases of an eRPC configuration. */
export function readServer(root: Cursor): ServerSettings {
  const server = root.get('server')
  const limits = readLimits(server)
  const cache = readCache(root)
  const redis = readRedis(root)
  const proxies = (server?.get('trustedIPForwarders')?.items() ?? []).flatMap((item) => item.text() ?? [])
  const headers = server?.get('trustedIPHeaders')
  if (headers?.items().every(({ value }) => /^x-forwarded-for$/i.test(String(value)))) headers.use()
  const metrics = root.get('metrics')
  return {
    listen: readListen(server, metrics),
    ...(isReached(metrics) && { admin: { token: '${WAYLEAVE_ADMIN_TOKEN}' } }),
    ...(limits && { limits }),
    ...(cache !== undefined && { cache }),
    ...(redis !== undefined && { redis }),
    ...(proxies.length > 0 && { trustedProxies: proxies }),
  }
}

/** Ports beside those of a node on the same machine. */
const ownPorts = { rpc: 8645, admin: 8646 }

function readListen(server: Cursor | undefined, metrics: Cursor | undefined): NonNullable<Config['listen']> {
  for (const flag of ['listenV4', 'enabled']) {
    if (server?.get(flag)?.value === true) server.get(flag)!.use()
    if (metrics?.get(flag)?.value === true) metrics.get(flag)!.use()
  }
  const port = server?.get('httpPortV4')?.number() ?? server?.get('httpPort')?.number()
  const host = server?.get('httpHostV4')?.text()
  const rpc = `${host ?? (port === undefined ? '127.0.0.1' : '0.0.0.0')}:${port ?? (server ? 4000 : ownPorts.rpc)}`
  const adminPort = metrics?.get('port')?.number()
  const adminHost = metrics?.get('hostV4')?.text()
  const admin = `${adminHost ?? '127.0.0.1'}:${adminPort ?? ownPorts.admin}`
  if (isReached(metrics)) {
    metrics!.remark(
      'who reads metrics here can operate, too, so that $WAYLEAVE_ADMIN_TOKEN has to be set: `openssl rand -hex 32`',
    )
  }
  const tls = server?.get('tls')
  if (tls?.get('enabled')?.value !== true) {
    tls?.use()
    return { rpc, admin }
  }
  tls.get('enabled')!.use()
  const [cert, key] = [tls.get('certFile')?.text(), tls.get('keyFile')?.text()]
  return { rpc, admin, ...(cert !== undefined && key !== undefined && { tls: { cert, key } }) }
}

/** Whether others than this machine reach the metrics of an eRPC. */
function isReached(metrics: Cursor | undefined): boolean {
  const host = metrics?.get('hostV4')?.text()
  return host !== undefined && !/^(?:127\.|localhost$|\[?::1\]?$)/.test(host)
}

function readLimits(server: Cursor | undefined): Config['limits'] {
  const requestTimeoutMs = readDuration(server?.get('maxTimeout'))
  const readTimeoutMs = readDuration(server?.get('readTimeout'))
  if (requestTimeoutMs === undefined && readTimeoutMs === undefined) return undefined
  return {
    ...(requestTimeoutMs !== undefined && { requestTimeoutMs }),
    ...(readTimeoutMs !== undefined && { readTimeoutMs }),
  }
}

function readCache(root: Cursor): Config['cache'] {
  const database = root.get('database')
  const own = database?.value as { readonly evmJsonRpcCache?: unknown } | undefined
  if (own !== undefined && own.evmJsonRpcCache === null) return false
  let maxBytes: number | undefined
  let redis: string | undefined
  for (const connector of database?.get('evmJsonRpcCache')?.get('connectors')?.items() ?? []) {
    const driver = connector.get('driver')?.value
    if (driver === 'memory') {
      maxBytes ??= readSize(connector.get('memory')?.get('maxTotalSize'))
      connector.get('id')?.use()
      connector.get('driver')!.use()
      connector.get('memory')?.get('maxItems')?.leave('the memory of the cache is bounded in bytes: `cache.maxBytes`')
    } else if (driver === 'redis' && redis === undefined) redis = redisUrl(connector)
    else connector.leave(`answers are kept in memory, and in one Redis behind it`)
  }
  if (maxBytes === undefined && redis === undefined) return undefined
  return {
    ...(maxBytes !== undefined && { maxBytes: Math.max(1_048_576, maxBytes) }),
    ...(redis !== undefined && { redis }),
  }
}

/** Reads the Redis of replicas. */
function readRedis(root: Cursor): string | undefined {
  const shared = root.get('database')?.get('sharedState')?.get('connector')
  const store = root.get('rateLimiters')?.get('store')
  for (const place of [shared, store]) {
    if (place?.get('driver')?.value !== 'redis') continue
    const url = redisUrl(place)
    if (url !== undefined) return url
  }
  if (store?.get('driver')?.value === 'memory') store.use()
  if (shared?.get('driver')?.value === 'memory') shared.use()
  return undefined
}

/** Reads `redis` of a connector as a URL. */
function redisUrl(connector: Cursor): string | undefined {
  const redis = connector.get('redis')
  connector.get('id')?.use()
  connector.get('driver')?.use()
  const uri = redis?.get('uri')?.text()
  if (uri !== undefined) return uri
  const address = redis?.get('addr')?.text()
  if (address === undefined) return undefined
  const tls = redis!.get('tls')?.get('enabled')?.flag() === true || address.startsWith('rediss://')
  const [user, password] = [redis!.get('username')?.text() ?? '', redis!.get('password')?.text() ?? '']
  const login = user === '' && password === '' ? '' : `${escape(user)}:${escape(password)}@`
  const db = redis!.get('db')?.number()
  return `redis${tls ? 's' : ''}://${login}${address.replace(/^rediss?:\/\//, '')}${db === undefined ? '' : `/${db}`}`
}

/** Escapes what a URL may not have; variables stay. */
function escape(text: string): string {
  return text.includes('${') ? text : encodeURIComponent(text)
}
