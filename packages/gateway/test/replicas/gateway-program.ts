import { type Config, createLog, startGateway } from '@wayleave/gateway'

// Serves the configuration of its argument, says where, and ends with its input.
const config = JSON.parse(process.argv[2]!) as Config
const { rpc, ws, admin, ipfs, close } = await startGateway(config, { log: createLog({ level: 'silent' }) })
process.stdout.write(`${JSON.stringify({ rpc, ws, admin, ipfs })}\n`)
process.stdin.on('end', () => void close(0)).resume()
