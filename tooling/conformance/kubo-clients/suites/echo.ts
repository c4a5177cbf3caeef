import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Starts the server from which the suites read URLs: `/download?data=…` and `/redirect?to=…`. */
export async function startEcho(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://x')
    if (pathname === '/redirect') response.writeHead(302, { location: searchParams.get('to')! }).end()
    else response.end(searchParams.get('data') ?? '')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() }
}
