import type { Hash } from '@wayleave/evm-types'
import type { Header } from '../header-members.ts'

/** Verified headers by their hash. They stay true for ever, whoever sent them. */
export interface HeaderCache {
  get(hash: Hash): Header | undefined
  set(hash: Hash, header: Header): void
}

/** Keeps the `capacity` most recently used headers. */
export function createHeaderCache(capacity: number): HeaderCache {
  const headers = new Map<string, Header>()
  return {
    get(hash) {
      const key = hash.toLowerCase()
      const header = headers.get(key)
      if (header === undefined) return undefined
      headers.delete(key)
      headers.set(key, header)
      return header
    },
    set(hash, header) {
      const key = hash.toLowerCase()
      headers.delete(key)
      headers.set(key, header)
      if (headers.size > capacity) headers.delete(headers.keys().next().value!)
    },
  }
}
