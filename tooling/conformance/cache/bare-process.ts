import { createServer } from 'node:http'
import { answerParent } from '../starvation/measure/child.ts'

/* The least that a server on Node does for a POST: node:http, the body read, and an answer whose head and body were made before. */

interface Answer {
  readonly headers: readonly string[]
  readonly body: string
}

function start({ headers, body }: Answer): Promise<number> {
  const server = createServer((request, response) => {
    request.on('data', () => {})
    request.on('end', () => {
      response.writeHead(200, [...headers])
      response.end(body)
    })
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port))
  })
}

answerParent({ start })
