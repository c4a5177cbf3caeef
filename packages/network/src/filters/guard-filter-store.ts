import type { FilterStore } from '@wayleave/evm-events'
import { RpcError } from '@wayleave/jsonrpc-core'
import { errorClass, type Log } from '@wayleave/telemetry'

/**
 * Words the failures of a store for callers: an outage, 503, and never `filter not found`, at which clients would make another filter and
 * miss events. The filter is where it was when the store is back. One that is not what was written is removed: it can never be served.
 */
export function guardFilterStore(store: FilterStore, network: string, log: Log): FilterStore {
  function explain(thrown: unknown): never {
    const code = (thrown as { readonly code?: unknown } | undefined)?.code ?? errorClass(thrown)
    if (code === 'conflict') {
      const rpc = { code: -32005, message: 'too many filters of this network are in use: try again later' }
      throw new RpcError('overloaded', rpc.message, { delivery: 'not_sent', rpc })
    }
    // That the whole store is gone was told by whoever watches it.
    if (code !== 'store_gone' && code !== 'unavailable')
      log.repeats.warn(['filters', network, String(code)], { network, code }, 'the store did not serve a filter')
    throw new RpcError('unavailable', 'the store of the filters cannot be used now; try again in a few seconds', {
      delivery: 'not_sent',
    })
  }
  return {
    async get(id) {
      try {
        return await store.get(id)
      } catch (thrown) {
        if ((thrown as { readonly code?: unknown } | undefined)?.code !== 'corrupt') return explain(thrown)
        log.repeats.warn(
          ['filters', network, 'corrupt'],
          { network },
          'a filter in the store was damaged, and is removed',
        )
        await store.remove(id).catch(explain)
        return undefined
      }
    },
    put: (...asked) => store.put(...asked).catch(explain),
    remove: (id) => store.remove(id).catch(explain),
  }
}
