import { array, optional, type Schema } from '@wayleave/jsonrpc-core/schema'
import type { ProcessRecord } from '../ports.ts'
import { count, exact, time, words } from './fields.ts'

/** The processes that are known to the one that answers. */
export interface Processes {
  readonly items: readonly ProcessRecord[]
}

export const processes: Schema<Processes> = exact<Processes>('processes', {
  items: array(
    exact<ProcessRecord>('a process', {
      process: words(1, 256),
      startedAt: time,
      version: words(0, 64),
      workers: optional(count),
    }),
  ),
})
