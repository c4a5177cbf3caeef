import { createHash } from 'node:crypto'

/** The SHA-256 of a key, as `keyHash` of a configuration has it. */
export function hashOf(key: string): string {
  return `sha256:${createHash('sha256').update(key).digest('hex')}`
}
