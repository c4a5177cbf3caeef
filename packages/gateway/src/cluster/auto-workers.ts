import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/** Reads a file; undefined if it cannot be read. */
type ReadText = (path: string) => string | undefined

const readText: ReadText = (path) => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/**
 * Counts the workers of `auto`: the CPU quota of the control group (v2 `cpu.max`, v1 `cpu.cfs_quota_us`), rounded down, at least 1;
 * else the cores that this process may use. Quotas of the groups above count, too. Source: Linux, Documentation/admin-guide/cgroup-v2.
 */
export function autoWorkers(read: ReadText = readText, cores: number = availableParallelism()): number {
  const quota = Math.min(...quotas(read), Number.POSITIVE_INFINITY)
  return Math.max(1, Math.floor(Math.min(quota, cores)))
}

/** Lists the quotas of the group of this process and of those above, in CPUs. */
function quotas(read: ReadText): readonly number[] {
  const groups = (read('/proc/self/cgroup') ?? '').split('\n').flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? []
    return path === undefined ? [] : [{ controllers: controllers!.split(',').filter((name) => name !== ''), path }]
  })
  const found: number[] = []
  for (const { controllers, path } of groups) {
    const isV2 = controllers.length === 0
    if (!isV2 && !controllers.includes('cpu')) continue
    for (const folder of foldersOf(path)) {
      const quota = isV2 ? quotaOfV2(read, `/sys/fs/cgroup${folder}`) : quotaOfV1(read, `/sys/fs/cgroup/cpu${folder}`)
      if (quota !== undefined) found.push(quota)
    }
  }
  return found
}

/** Lists a path and those above it; in a namespace of its own, a group's path may lead out of what is mounted. */
function foldersOf(path: string): readonly string[] {
  const parts = path.split('/').filter((part) => part !== '' && part !== '..')
  return ['', ...parts.map((_, i) => `/${parts.slice(0, i + 1).join('/')}`)]
}

function quotaOfV2(read: ReadText, folder: string): number | undefined {
  const [quota, period = '100000'] = (read(`${folder}/cpu.max`) ?? '').trim().split(' ')
  return ratio(quota, period)
}

function quotaOfV1(read: ReadText, folder: string): number | undefined {
  return ratio(read(`${folder}/cpu.cfs_quota_us`)?.trim(), read(`${folder}/cpu.cfs_period_us`)?.trim())
}

/** `max` of v2 and -1 of v1 mean none. */
function ratio(quota: string | undefined, period: string | undefined): number | undefined {
  const [part, whole] = [Number(quota || Number.NaN), Number(period || Number.NaN)]
  return part > 0 && whole > 0 ? part / whole : undefined
}
