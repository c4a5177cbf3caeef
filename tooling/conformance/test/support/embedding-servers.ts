import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { serve } from '@hono/node-server'
import { type Config, createGateway, createLog, type MountedGateway, realSurroundings } from '@wayleave/gateway'
import { build } from 'esbuild'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'

/** The server of another program, with a gateway below `/rpc` beside a route of its own, `/own`. */
export interface EmbeddingServer extends AsyncDisposable {
  readonly url: string
}

/** A kind of such servers. */
export interface EmbeddingKind {
  readonly name: string
  /** Why it cannot run on this machine; undefined if it can. */
  readonly missing?: string | undefined
  /** Whether its server is one of `node:http`, which hands over connections for WebSocket. */
  readonly upgrades: boolean
  open(config: Config): Promise<EmbeddingServer>
}

const host = '127.0.0.1'

const openGateway = (config: Config): Promise<MountedGateway> =>
  createGateway(config, {
    basePath: '/rpc',
    log: createLog({ level: 'silent' }),
    surroundings: { ...realSurroundings, random: () => 0 },
  })

async function listen(gateway: MountedGateway, listener: RequestListener): Promise<EmbeddingServer> {
  const server = createServer(listener).on('upgrade', gateway.upgrade).listen(0, host)
  await once(server, 'listening')
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      await gateway.close()
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Runs a program in another runtime, which prints its port. The program is a bundle, as one that is deployed there. */
async function openRuntime(command: string, args: readonly string[], config: Config): Promise<EmbeddingServer> {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-embedded-'))
  const program = join(folder, 'program.mjs')
  await build({
    entryPoints: [fileURLToPath(new URL('embedding-program.ts', import.meta.url))],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    conditions: ['@wayleave/source'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)" },
    external: ['pg', 'pg-native', 'bufferutil', 'utf-8-validate'],
  })
  const child = spawn(command, [...args, program, JSON.stringify(config)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const dispose = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exited
    await rm(folder, { recursive: true, force: true })
  }
  const line = await Promise.race([once(createInterface(child.stdout), 'line'), exited])
  if (!/^\d+$/.test(String(line[0]))) {
    await dispose()
    throw new Error(`${command} ended before it served`)
  }
  if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}`)
  return { url: `http://${host}:${String(line[0])}`, [Symbol.asyncDispose]: dispose }
}

function whyWithout(command: string): string | undefined {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' })
    return undefined
  } catch {
    return `${command} is not on the PATH`
  }
}

export const embeddingKinds: readonly EmbeddingKind[] = [
  {
    name: 'node:http',
    upgrades: true,
    async open(config) {
      const gateway = await openGateway(config)
      return listen(gateway, (request, response) => {
        if (request.url === '/own') response.end('own')
        else gateway.nodeListener(request, response)
      })
    },
  },
  {
    name: 'Express',
    upgrades: true,
    async open(config) {
      const gateway = await openGateway(config)
      const app = express().disable('x-powered-by')
      app.use('/rpc', gateway.nodeListener)
      app.use(express.json())
      app.get('/own', (_request, response) => void response.send('own'))
      return listen(gateway, app)
    },
  },
  {
    name: 'Fastify',
    upgrades: true,
    async open(config) {
      const gateway = await openGateway(config)
      const app = Fastify()
      app.get('/own', () => 'own')
      await app.register(async (scope) => {
        scope.removeAllContentTypeParsers()
        scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
        scope.all('/rpc/*', (request, reply) => {
          reply.hijack()
          gateway.nodeListener(request.raw, reply.raw)
        })
      })
      app.server.on('upgrade', gateway.upgrade)
      const url = await app.listen({ port: 0, host })
      return {
        url,
        async [Symbol.asyncDispose]() {
          await gateway.close()
          await app.close()
        },
      }
    },
  },
  {
    name: 'Hono',
    upgrades: true,
    async open(config) {
      const gateway = await openGateway(config)
      const app = new Hono()
      app.get('/own', (c) => c.text('own'))
      app.all('/rpc/*', (c) => gateway.fetch(c.req.raw))
      const server = await new Promise<ReturnType<typeof serve>>((resolve) => {
        const serving = serve({ fetch: app.fetch, port: 0, hostname: host }, () => resolve(serving))
      })
      server.on('upgrade', gateway.upgrade)
      return {
        url: `http://${host}:${(server.address() as AddressInfo).port}`,
        async [Symbol.asyncDispose]() {
          await gateway.close()
          if ('closeAllConnections' in server) server.closeAllConnections()
          server.close()
        },
      }
    },
  },
  {
    name: 'Bun.serve',
    upgrades: false,
    missing: whyWithout('bun'),
    open: (config) => openRuntime('bun', ['run'], config),
  },
  {
    name: 'Deno.serve',
    upgrades: false,
    missing: whyWithout('deno'),
    open: (config) => openRuntime('deno', ['run', '-A'], config),
  },
]
