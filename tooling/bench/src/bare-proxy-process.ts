// The least that a proxy on Node does: node:http in front, undici's dispatch behind, bytes passed as they come.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Pool } from 'undici'

const pool = new Pool(process.argv[2]!, { connections: 128, pipelining: 1 })
const headers = ['content-type', 'application/json']

function forward(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => dispatch(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks), response))
}

function dispatch(body: Buffer, response: ServerResponse): void {
  pool.dispatch(
    { path: '/', method: 'POST', headers, body },
    {
      onRequestStart(controller) {
        response.on('close', () => {
          if (!response.writableFinished) controller.abort(new Error('the caller left'))
        })
        response.on('drain', () => controller.resume())
      },
      onResponseStart(_controller, status, { 'content-length': length }) {
        const type = { 'content-type': 'application/json' }
        response.writeHead(status, length === undefined ? type : { ...type, 'content-length': String(length) })
      },
      onResponseData(controller, chunk) {
        if (!response.write(chunk)) controller.pause()
      },
      onResponseEnd() {
        response.end()
      },
      onResponseError() {
        if (response.headersSent) response.destroy()
        else response.writeHead(502).end()
      },
    },
  )
}

const server = createServer(forward)
server.listen(0, '127.0.0.1', () => process.send?.(server.address()))
process.on('disconnect', () => process.exit(0))
