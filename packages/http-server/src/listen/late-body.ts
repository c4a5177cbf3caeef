import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '@wayleave/jsonrpc-core'
import { plainAnswer, sendAnswer } from './answer.ts'

/** Cuts a request whose body has not come whole within `ms`, for a server whose own `requestTimeout` would cut uploads, too. */
export function cutLateBody(request: IncomingMessage, response: ServerResponse, ms: number, clock: Clock): void {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers
  if (coding === undefined && Number(length) === 0) return
  const stop = clock.after(ms, () => {
    if (!response.headersSent) sendAnswer(response, tooLate, [])
    request.socket.destroySoon()
  })
  request.on('end', stop)
  request.on('close', stop)
}

const tooLate = plainAnswer(408, 'the body did not come in time\n', ['Connection', 'close'])
