// A program of Bun or Deno that serves a gateway beside a route of its own, and prints its port; started by embedding-servers.ts.
import { type Config, createGateway, createLog, realSurroundings } from '@wayleave/gateway'

interface Runtime {
  readonly Bun?: {
    serve(options: {
      port: number
      hostname: string
      fetch(request: Request, server: { requestIP(request: Request): { address: string } | null }): unknown
    }): { readonly port: number }
  }
  readonly Deno?: {
    serve(
      options: { port: number; hostname: string; onListen(): void },
      handler: (request: Request, info: { remoteAddr: { hostname: string } }) => unknown,
    ): { readonly addr: { readonly port: number } }
  }
}

const { Bun, Deno } = globalThis as Runtime
const gateway = await createGateway(JSON.parse(process.argv[2]!) as Config, {
  basePath: '/rpc',
  log: createLog({ level: 'warn' }),
  surroundings: { ...realSurroundings, random: () => 0 },
})

function answer(request: Request, remoteAddress: string | undefined): Promise<Response> | Response {
  return new URL(request.url).pathname === '/own' ? new Response('own') : gateway.fetch(request, { remoteAddress })
}

const at = { port: 0, hostname: '127.0.0.1' }
const port =
  Bun === undefined
    ? Deno!.serve({ ...at, onListen() {} }, (request, { remoteAddr }) => answer(request, remoteAddr.hostname)).addr.port
    : Bun.serve({ ...at, fetch: (request, server) => answer(request, server.requestIP(request)?.address) }).port
console.log(String(port))
