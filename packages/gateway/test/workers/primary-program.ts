import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Config, createLog, startGateway } from '@wayleave/gateway'
import { processChannel } from './process-ends.ts'

// Serves the configuration of its argument with two workers, says where these are, starts another one for each line of its input, and ends with that.
const config = JSON.parse(process.argv[2]!) as Config
const log = createLog({ level: 'silent' })
const { serveWorker, admin, close } = await startGateway(config, { log, hasWorkers: true })
const program = fileURLToPath(new URL('worker-program.ts', import.meta.url))

function start(): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const child = fork(program, [JSON.stringify(config)], {
    execArgv: ['--conditions=@wayleave/source'],
    serialization: 'advanced',
  })
  const channel = processChannel(child)
  channel.serve('test.ready', resolve)
  serveWorker!(channel)
  return promise
}

const workers = [await start(), await start()]
process.stdout.write(`${JSON.stringify({ admin, workers })}\n`)
process.stdin
  .on('data', () => void start().then((worker) => process.stdout.write(`${JSON.stringify(worker)}\n`)))
  .on('end', () => void close(0).then(() => process.exit(0)))
