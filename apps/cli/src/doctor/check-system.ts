import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { type Config, limitsOf } from '@wayleave/gateway'
import { sizeText } from '../ipfs/progress-line.ts'
import { type Check, fail, type Finding, ok, warn } from './finding.ts'

/** The machine and the process, as far as checks ask. */
export interface SystemFacts {
  readonly nodeVersion: string
  readonly wayleaveVersion: string
  /** Memory that this process may use, in bytes. */
  readonly memoryBytes: number
  /** File descriptors that this process may have; undefined where that is not known. */
  readonly descriptors: number | undefined
}

const oldestNode = 24
/** A gateway of one network without IPFS runs in this, in bytes. */
const leastMemory = 256 * 1_048_576
/** Memory of the program itself, in bytes. */
const programBytes = 128 * 1_048_576
/** Descriptors beside connections: listeners, files, the store, the upstreams. */
const otherDescriptors = 512

/** Reads the facts of this process. */
export function readSystem(wayleaveVersion: string): SystemFacts {
  const limit = process.constrainedMemory()
  const total = totalmem()
  const memoryBytes = limit > 0 && limit < total ? limit : total
  return { nodeVersion: process.version, wayleaveVersion, memoryBytes, descriptors: readDescriptors() }
}

function readDescriptors(): number | undefined {
  try {
    const [, soft] = /^Max open files\s+(\w+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === 'unlimited' ? undefined : Number(soft)
  } catch {
    // Not Linux; its shell has the same limit.
    try {
      const text = execFileSync('/bin/sh', ['-c', 'ulimit -n'], { encoding: 'utf8', timeout: 2_000 }).trim()
      return /^\d+$/.test(text) ? Number(text) : undefined
    } catch {
      return undefined
    }
  }
}

/** Creates the checks that need no configuration. */
export function checkVersions({ nodeVersion, wayleaveVersion }: SystemFacts): Check {
  return {
    subject: 'versions',
    async run() {
      const major = Number(/^v(\d+)/.exec(nodeVersion)?.[1])
      if (major < oldestNode) {
        const remedy = `install Node ${oldestNode} or later (https://nodejs.org)`
        return [fail('node_version', 'versions', `Node ${nodeVersion} is too old`, remedy)]
      }
      return [ok('versions', 'versions', `wayleave ${wayleaveVersion}, Node ${nodeVersion.slice(1)}`)]
    },
  }
}

/** Creates the check of limits against the system. */
export function checkLimits(config: Config, facts: SystemFacts): Check {
  return { subject: 'limits', run: async () => limitFindings(config, facts) }
}

function limitFindings(config: Config, { descriptors, memoryBytes }: SystemFacts): readonly Finding[] {
  const { maxConnections, maxHeldBytes } = limitsOf(config, memoryBytes)
  const cacheBytes = config.cache === false ? 0 : (config.cache?.maxBytes ?? 0)
  const findings: Finding[] = []
  const needed = maxConnections + otherDescriptors
  if (descriptors !== undefined && descriptors < needed) {
    const text = `this process may open ${descriptors} files, and limits.maxConnections (${maxConnections}) needs ${needed}`
    const remedy = `raise it (LimitNOFILE=${needed} in the unit, ulimit -n ${needed} in a shell), or lower limits.maxConnections`
    findings.push(warn('descriptors', 'limits', text, remedy))
  }
  const held = maxHeldBytes + cacheBytes + programBytes
  if (memoryBytes < leastMemory) {
    const text = `this process may use ${sizeText(memoryBytes)} of memory, and a gateway needs ${sizeText(leastMemory)}`
    findings.push(
      warn('memory', 'limits', text, 'give it more: MemoryMax in the unit, resources.limits.memory of the container'),
    )
  } else if (held > memoryBytes) {
    const text = `limits.maxHeldBytes, cache.maxBytes and the program add up to ${sizeText(held)}, beyond the ${sizeText(memoryBytes)} that this process may use`
    findings.push(warn('memory', 'limits', text, 'lower limits.maxHeldBytes or cache.maxBytes, or give it more memory'))
  }
  if (findings.length > 0) return findings
  const files = descriptors === undefined ? '' : `, ${descriptors} open files`
  return [ok('limits', 'limits', `${sizeText(memoryBytes)} of memory${files}`)]
}
