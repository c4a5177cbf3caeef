import {
  coalesce,
  createContext,
  createHttpTransport,
  createRpcServer,
  rawJsonFromText,
  type RpcHandler,
  type RpcRequest,
  systemClock,
} from '@wayleave/jsonrpc-core'
import { firstId, printAnswerHead, printRequest, smallCall } from './calls.ts'
import type { Stage } from './time-stages.ts'

/**
 * The stages of the gateway's request path in their order, each around handlers that answer at once.
 * A stage that joins the path gets its line here.
 */
export function createStages(): readonly Stage[] {
  const context = createContext()
  // Without its timer, so that no stage meets a deadline.
  context.release()
  const request: RpcRequest = {
    method: smallCall.method,
    params: rawJsonFromText(smallCall.params(firstId)),
    notification: false,
  }
  const resultText = smallCall.tail.toString('latin1').slice(0, -1)
  const answer: RpcHandler = async () => ({ result: rawJsonFromText(resultText) })

  const body = Buffer.from(printRequest(smallCall, firstId))
  const serve = createRpcServer(answer)
  const shared = coalesce({ key: (call) => `${call.method}${call.params?.text() ?? ''}`, clock: systemClock })(answer)
  const ask = createAnsweredTransport()

  return [
    { name: 'context', allowanceMicros: 1, run: () => createContext().release() },
    { name: 'decode, encode', allowanceMicros: 4, run: () => serve(body, context) },
    { name: 'coalesce', allowanceMicros: 2, run: () => shared(request, context) },
    { name: 'transport, without HTTP', allowanceMicros: 2, run: () => ask(request, context) },
  ]
}

/** Prints each call and reads its answer; between the two stands no network. */
function createAnsweredTransport(): RpcHandler {
  let id = 0
  const headers = { get: () => null }
  const tail = smallCall.tail.toString('latin1')
  return createHttpTransport({
    url: 'http://127.0.0.1',
    // The transport numbers its calls from 1.
    http: async () => ({ status: 200, headers, body: [Buffer.from(printAnswerHead(++id) + tail, 'latin1')] }),
  })
}
