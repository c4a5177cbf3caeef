// A gateway that one kind of server serves, started by embedded.ts: `embedded-process.ts SERVER UPSTREAM`.
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { type Config, createGateway, createLog, startGateway } from '@wayleave/gateway'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'

const [server, upstream] = process.argv.slice(2) as [string, string]
const config: Config = {
  listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
  networks: { bench: { kind: 'evm', chainId: 1, upstreams: [upstream] } },
  projects: [{ name: 'bench', keys: [{ key: 'bench-key' }] }],
}
const log = createLog({ level: 'silent' })
const host = '127.0.0.1'

async function listen(listener: RequestListener): Promise<number> {
  const listening = createServer(listener).listen(0, host)
  await once(listening, 'listening')
  return (listening.address() as AddressInfo).port
}

const servers: Readonly<Record<string, () => Promise<number>>> = {
  'its own listener': async () => Number(new URL((await startGateway(config, { log })).rpc).port),
  'node:http': async () => listen((await createGateway(config, { log })).nodeListener),
  async Express() {
    const gateway = await createGateway(config, { log })
    return listen(express().disable('x-powered-by').use(gateway.nodeListener))
  },
  async Fastify() {
    const gateway = await createGateway(config, { log })
    const fastify = Fastify()
    fastify.removeAllContentTypeParsers()
    fastify.addContentTypeParser('*', (_request, _payload, done) => done(null))
    fastify.all('/*', (request, reply) => {
      reply.hijack()
      gateway.nodeListener(request.raw, reply.raw)
    })
    return Number(new URL(await fastify.listen({ port: 0, host })).port)
  },
  async Hono() {
    const gateway = await createGateway(config, { log })
    const hono = new Hono().all('/*', (c) => gateway.fetch(c.req.raw))
    return new Promise((resolve) => serve({ fetch: hono.fetch, port: 0, hostname: host }, ({ port }) => resolve(port)))
  },
  async fetch() {
    const gateway = await createGateway(config, { log })
    const { fetch } = gateway
    return new Promise((resolve) =>
      serve({ fetch: (request) => fetch(request), port: 0, hostname: host }, ({ port }) => resolve(port)),
    )
  },
}

process.send!({ port: await servers[server]!() })
