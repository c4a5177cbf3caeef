import {
  createBlockLogs,
  createChainStream,
  createFanOut,
  createFilters,
  createMemoryFilterStore,
  createResume,
  getLogs,
  type HeadSource,
  logCriteriaOf,
} from '@wayleave/evm-events'
import type { GatewayContext } from '@wayleave/gateway/internal/context/context'
import type { OpenNetwork } from '@wayleave/gateway/internal/rpc/networks'
import {
  type Clock,
  createRpcServer,
  rawJsonFromText,
  RpcError,
  type RpcHandler,
  type RpcSink,
} from '@wayleave/jsonrpc-core'

/** Serves subscriptions and filters by the parts of evm-events, put together over the pool of a network as its README shows. */
export function createBareStreams({ nodes, heads }: OpenNetwork, clock: Clock) {
  const view = heads!
  const source: HeadSource = {
    get head() {
      return view.head
    },
    watch(listener) {
      const forget = view.watch(listener)
      let stop = (): void => {}
      const want = (): void => {
        view.wanted()
        stop = clock.after(20_000, want)
      }
      want()
      return () => {
        forget()
        stop()
      }
    },
  }
  const ask = nodes
  const headOf = () => view.head
  const stream = createChainStream({ source, ask, clock })
  const blockLogs = createBlockLogs({ ask, clock })
  const fanOut = createFanOut({ stream, blockLogs, clock })
  const ranges = getLogs({ clock, headOf })(nodes)
  const resume = createResume({ stream, fanOut, blockLogs, ask: ranges, headOf, clock })
  let ids = 0
  const newId = (): string => `0x${(++ids).toString(16).padStart(32, '0')}`
  const share = { take: () => true, give() {} }
  const filters = createFilters({ clock, headOf, store: createMemoryFilterStore(clock), newId, share })(ranges)

  const serve: RpcHandler = async (request, context) => {
    if (request.method !== 'eth_subscribe') return filters(request, context)
    const [kind, about = {}] = request.params!.value() as [string, Record<string, string>?]
    const { fromHash, fromBlock } = about
    const from = fromHash === undefined ? { fromBlock: Number(fromBlock) } : { fromHash }
    let open: (sink: RpcSink) => () => void
    try {
      const isResumed = fromHash !== undefined || fromBlock !== undefined
      const point = isResumed ? await resume.find(from, context) : undefined
      if (kind === 'newHeads')
        open = (sink) => (point === undefined ? fanOut.newHeads(sink) : resume.newHeads(point, sink))
      else if (kind === 'logs') {
        const criteria = logCriteriaOf(about)
        open = (sink) => (point === undefined ? fanOut.logs(criteria, sink) : resume.logs(criteria, point, sink))
      } else open = (sink) => fanOut.transactionReceipts(undefined, sink)
    } catch (thrown) {
      if (thrown instanceof RpcError && thrown.rpc !== undefined) return { error: thrown.rpc }
      throw thrown
    }
    const id = newId()
    return { result: rawJsonFromText(`"${id}"`), subscription: { id, open } }
  }

  return { server: createRpcServer<GatewayContext>(serve as RpcHandler<GatewayContext>), close: () => stream.close() }
}
