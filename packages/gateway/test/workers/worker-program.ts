import { type Config, createLog, startGateway } from '@wayleave/gateway'
import { processChannel } from './process-ends.ts'

// Serves the configuration of its argument as a worker of its parent, and ends with it.
const config = JSON.parse(process.argv[2]!) as Config
const channel = processChannel(process)
channel.onClose(() => process.exit(0))
const { rpc } = await startGateway(config, { log: createLog({ level: 'silent' }), worker: { channel } })
channel.report('test.ready', { rpc, pid: process.pid })
