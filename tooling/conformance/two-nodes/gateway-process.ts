import { checkConfig, createLog, startGateway } from '@wayleave/gateway'

/*
 * A gateway in a process of its own. Its configuration comes as the first argument; one line tells where it listens. Its log, down to
 * `debug`, goes to stderr.
 */

const gateway = await startGateway(checkConfig(JSON.parse(process.argv[2]!)), { log: createLog({ level: 'debug' }) })
process.stdout.write(`${JSON.stringify({ rpc: gateway.rpc, ws: gateway.ws, admin: gateway.admin })}\n`)
// It ends with its parent; at the first byte it closes, and ends by itself if nothing is left open.
process.stdin.on('end', () => process.exit())
process.stdin.once('data', async () => {
  await gateway.close()
  process.stdin.removeAllListeners().pause().unref()
})
