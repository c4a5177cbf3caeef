import { existsSync, statfsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Config, storePlace } from '@wayleave/gateway'
import { inspectRedis, inspectStore, type StoreInspection, StoresError, type StoresOptions } from '@wayleave/stores'
import { sizeText } from '../ipfs/progress-line.ts'
import { type Check, fail, type Finding, ok, warn } from './finding.ts'
import { withDeadline } from './with-deadline.ts'

/** Free space below which a disk counts as nearly full, in bytes. */
const lowBytes = 1_073_741_824
/** Connections of a gateway to PostgreSQL: calls, the probe, notices. */
const connectionsEach = 6

/** Creates the checks of the stores of a configuration: its database, Redis, the disk of IPFS content. */
export function checkStores(config: Config): readonly Check[] {
  const place = storePlace(config)
  const { redis, cache, ipfs, dataDir, replicas = 1 } = config
  const cacheRedis = cache === false ? undefined : cache?.redis
  const ipfsDir = ipfs?.backend === 'local' ? (ipfs.dir ?? (dataDir && join(dataDir, 'ipfs'))) : undefined
  return [
    ...(place === 'memory' ? [] : [checkDatabase(place, replicas)]),
    ...(redis === undefined ? [] : [checkRedis('redis', redis)]),
    ...(cacheRedis === undefined ? [] : [checkRedis('cache.redis', cacheRedis)]),
    ...(ipfsDir === undefined ? [] : [checkIpfsDisk(ipfsDir)]),
    ...(ipfs?.backend === 'kubo' ? [checkKubo(ipfs.url)] : []),
  ]
}

function checkDatabase(place: StoresOptions, replicas: number): Check {
  return {
    subject: 'store',
    async run() {
      try {
        return databaseFindings(await inspectStore(place), replicas)
      } catch (thrown) {
        if (!(thrown instanceof StoresError)) throw thrown
        return [fail(`store_${thrown.fault ?? thrown.code}`, 'store', thrown.message, storeRemedy(thrown, place))]
      }
    },
  }
}

function storeRemedy({ code, fault }: StoresError, place: StoresOptions): string {
  if (code === 'corrupt')
    return 'restore a backup (wayleave restore), or move the file away: a new one is made, without what was in it'
  if (code === 'unsupported_runtime') return 'install Node 24 or later'
  if (fault === 'full') return 'free space on its disk, or move dataDir to a larger one'
  if (fault === 'refused') return 'mend user and password in store.postgres'
  if ('postgres' in place) return 'start PostgreSQL, open its port to this machine, or mend the URL in store.postgres'
  return 'give its folder to the user of the gateway (chown), or name another one in dataDir or store.sqlite'
}

function databaseFindings(found: StoreInspection, replicas: number): readonly Finding[] {
  const { where, exists, applied, pending, newer, bytes, freeBytes, connections } = found
  const findings: Finding[] = []
  if (newer.length > 0) {
    const remedy = 'run the newer version of wayleave, or restore a backup of before it'
    findings.push(fail('store_newer', 'store', `${where} was changed by a newer version (${newer.join(', ')})`, remedy))
  } else if (applied.length > 0 && pending.length > 0) {
    const text = `${where} is of an earlier version: the next start changes it (${pending.join(', ')})`
    findings.push(warn('store_pending', 'store', text, 'make a backup first: wayleave backup FILE'))
  }
  if (freeBytes !== undefined && freeBytes < Math.max(lowBytes, bytes)) {
    const remedy = 'free space on its disk, or move dataDir to a larger one'
    findings.push(warn('store_space', 'store', `its disk has only ${sizeText(freeBytes)} left`, remedy))
  }
  if (connections !== undefined) {
    const needed = replicas * connectionsEach
    const free = connections.max - connections.open
    if (connections.max < needed || free < connectionsEach) {
      const text = `PostgreSQL takes ${connections.max} connections, of which ${connections.open} are open; ${replicas === 1 ? 'a gateway needs' : `${replicas} gateways need`} ${needed}`
      findings.push(
        warn('store_connections', 'store', text, 'raise max_connections in postgresql.conf, and restart PostgreSQL'),
      )
    }
  }
  if (findings.length > 0) return findings
  const size = exists ? sizeText(bytes) : 'made by the first start'
  return [ok('store', 'store', `${where}, ${size}, can be written`)]
}

function checkRedis(member: string, url: string | readonly string[]): Check {
  return {
    subject: member,
    async run() {
      try {
        const { where, version, evictionPolicy, maxMemoryBytes } = await inspectRedis(url)
        const may = evictionPolicy !== 'noeviction'
        if (member === 'redis' && may) {
          const text = `${where} may drop limits and cordons when its memory is full (maxmemory-policy ${evictionPolicy})`
          return [
            warn(
              'redis_eviction',
              member,
              text,
              'set maxmemory-policy noeviction in redis.conf, and keep caches in another Redis',
            ),
          ]
        }
        if (member !== 'redis' && (!may || maxMemoryBytes === 0)) {
          const text = may
            ? `${where} has no bound of its memory`
            : `${where} refuses answers once its memory is full (maxmemory-policy noeviction)`
          return [
            warn('redis_no_eviction', member, text, 'set maxmemory, and maxmemory-policy allkeys-lru, in redis.conf'),
          ]
        }
        return [ok('redis', member, `${where}, version ${version}`)]
      } catch (thrown) {
        if (!(thrown instanceof StoresError)) throw thrown
        const remedy =
          thrown.fault === 'refused'
            ? `mend user and password in ${member}; INFO must be allowed to that user`
            : `start Redis, open its port to this machine, or mend the URL in ${member}`
        return [fail(`redis_${thrown.fault ?? 'unreachable'}`, member, thrown.message, remedy)]
      }
    },
  }
}

function checkIpfsDisk(dir: string): Check {
  return {
    subject: 'ipfs',
    async run() {
      let folder = resolve(dir)
      while (!existsSync(folder)) folder = dirname(folder)
      const { bavail, bsize } = statfsSync(folder)
      if (bavail * bsize >= lowBytes) return [ok('ipfs_space', 'ipfs', `its disk has ${sizeText(bavail * bsize)} free`)]
      const text = `its disk has only ${sizeText(bavail * bsize)} left: content that nobody pins is removed at once`
      return [warn('ipfs_space', 'ipfs', text, 'free space on its disk, or move ipfs.dir to a larger one')]
    },
  }
}

function checkKubo(url: string): Check {
  return {
    subject: 'ipfs',
    async run(signal) {
      const place = new URL(url)
      const { username, password, host } = place
      const basic = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
      const headers: Record<string, string> = username === '' ? {} : { authorization: `Basic ${basic}` }
      try {
        const response = await withDeadline(4_000, signal, (bounded) =>
          fetch(`${place.protocol}//${host}/api/v0/version`, {
            method: 'POST',
            headers,
            redirect: 'manual',
            signal: bounded,
          }),
        )
        await response.body?.cancel()
        if (response.ok) return [ok('kubo', 'ipfs', `Kubo at ${host} answers`)]
        const remedy = 'allow this machine in API.Authorizations of Kubo, or mend ipfs.url: the RPC, not the gateway'
        return [fail('kubo', 'ipfs', `Kubo at ${host} answers HTTP ${response.status}`, remedy)]
      } catch {
        const remedy = 'start Kubo, have its API listen for this machine (Addresses.API), or mend ipfs.url'
        return [fail('kubo', 'ipfs', `Kubo at ${host} cannot be reached`, remedy)]
      }
    },
  }
}
