import { optional, type Schema } from '@wayleave/jsonrpc-core/schema'
import type { ProcessRecord } from '../ports.ts'
import { count, exact, time, words } from './fields.ts'
import { type Items, itemsOf } from './page.ts'

export const processes: Schema<Items<ProcessRecord>> = itemsOf(
  'processes',
  exact<ProcessRecord>('a process', {
    process: words(1, 256),
    startedAt: time,
    version: words(0, 64),
    workers: optional(count),
  }),
)
