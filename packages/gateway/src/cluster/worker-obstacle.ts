import { printPath } from '@wayleave/jsonrpc-core/schema'
import type { ConfigProblem } from '../config/check.ts'

/** Systems whose kernel hands new connections to several processes at one address (`SO_REUSEPORT` with balance). */
const balancing: readonly string[] = ['linux', 'freebsd']

/** Tells why several processes cannot serve a configuration, by its first member that is a function; undefined if they can. */
export function workerObstacle(config: object, platform: string = process.platform): ConfigProblem | undefined {
  if (!balancing.includes(platform)) {
    const got = `${platform}, which does not share an address among processes: serve with --workers 1`
    return { path: '', expected: 'Linux or FreeBSD, for several workers', got }
  }
  const path = findFunction(config, [])
  return (
    path && {
      path: printPath(path),
      expected: 'no function, which workers cannot be sent',
      got: 'one: serve with --workers 1',
    }
  )
}

function findFunction(value: unknown, path: readonly (string | number)[]): readonly (string | number)[] | undefined {
  if (typeof value === 'function') return path
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    const found = findFunction(member, [...path, Array.isArray(value) ? Number(name) : name])
    if (found !== undefined) return found
  }
  return undefined
}
