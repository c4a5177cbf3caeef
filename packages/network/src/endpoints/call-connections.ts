import type { RpcHandler, RpcTransport } from '@wayleave/jsonrpc-core'

/** Most connections that carry the calls of one endpoint. */
const mostConnections = 4

export interface CallConnections {
  readonly handler: RpcHandler
  close(): Promise<void>
}

interface Connection {
  readonly transport: RpcTransport
  /** Calls in flight, in all and by tenant. */
  calls: number
  readonly byTenant: Map<string | undefined, number>
}

/**
 * Makes one transport of a few WebSocket connections to the same node, each opened by the first call that needs it. The answers of a
 * connection come one after another, so that large ones hold up small ones: a call goes, if it can, where no other tenant has calls.
 */
export function createCallConnections(open: () => RpcTransport): CallConnections {
  const connections: Connection[] = []

  function choose(tenant: string | undefined): Connection {
    const free = connections.find(({ calls, byTenant }) => calls === (byTenant.get(tenant) ?? 0))
    if (free !== undefined) return free
    if (connections.length < mostConnections) {
      const opened: Connection = { transport: open(), calls: 0, byTenant: new Map() }
      connections.push(opened)
      return opened
    }
    return connections.reduce((least, each) => (each.calls < least.calls ? each : least))
  }

  return {
    async handler(request, context) {
      const { tenant } = context
      const connection = choose(tenant)
      const { byTenant } = connection
      connection.calls++
      byTenant.set(tenant, (byTenant.get(tenant) ?? 0) + 1)
      try {
        return await connection.transport.handler(request, context)
      } finally {
        connection.calls--
        const left = byTenant.get(tenant)! - 1
        if (left > 0) byTenant.set(tenant, left)
        else byTenant.delete(tenant)
      }
    },
    close: async () => void (await Promise.all(connections.map(({ transport }) => transport.close()))),
  }
}
