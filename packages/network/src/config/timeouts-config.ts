import { record, shown, type TypeOf } from '@wayleave/jsonrpc-core/schema'
import { duration } from './duration.ts'
import { methodPattern } from './schema-parts.ts'
import { exact, setting } from './setting.ts'

export const timeouts = exact('{ default?, byMethod? }', {
  default: setting(shown(duration), 'The wait of methods that are not named.'),
  byMethod: setting(
    record(shown(duration), methodPattern),
    'By method: names, or prefixes such as `debug_*`, in any case.',
  ),
})

/** Longest waits for answers to begin, in place of `limits.requestTimeoutMs`: shorter or longer. */
export type TimeoutsConfig = TypeOf<typeof timeouts>
