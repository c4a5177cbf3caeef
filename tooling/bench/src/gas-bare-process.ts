// The least that a server on Node does: node:http, and one answer whose head and body were made before.
import { createServer } from 'node:http'

const { headers, body } = JSON.parse(process.argv[2]!) as { headers: string[]; body: string }
const server = createServer((_request, response) => {
  response.writeHead(200, headers)
  response.end(body)
})
server.listen(0, '127.0.0.1', () => process.send?.(server.address()))
process.on('disconnect', () => process.exit(0))
