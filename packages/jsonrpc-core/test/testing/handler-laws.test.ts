import { coalesce, createBatchingTransport, createHttpTransport, createWebSocketTransport, type RpcHandler, systemClock } from '@wayleave/jsonrpc-core'
import { handlerLaws, peerHandler, peerHttpPort, peerSocketPort, type ScriptedPeer } from '@wayleave/jsonrpc-core/testing'
import { describe, it } from 'vitest'

const subjects: Record<string, (peer: ScriptedPeer) => RpcHandler> = {
  'a scripted handler': peerHandler,
  'the HTTP transport': (peer) => createHttpTransport({ url: 'http://peer', http: peerHttpPort(peer) }),
  'the batching transport': (peer) => createBatchingTransport({ url: 'http://peer', http: peerHttpPort(peer) }),
  'the WebSocket transport': (peer) => createWebSocketTransport({ url: 'ws://peer', connect: peerSocketPort(peer) }).handler,
  coalescing: (peer) =>
    coalesce({ key: ({ method }) => (method === 'eth_chainId' ? method : undefined), clock: systemClock })(peerHandler(peer)),
}

for (const [name, create] of Object.entries(subjects)) {
  describe(name, () => {
    for (const law of handlerLaws({ create })) it(law.name, law.run)
  })
}
