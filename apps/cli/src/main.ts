import { tolerateBrokenStreams } from './output/broken-streams.ts'
import { run } from './run.ts'

// A process that begins again would load the gateway twice, so this is loaded alone.
if (process.argv[2] === 'serve') (await import('@wayleave/proxy/steady-memory')).keepMemorySteady(process)
tolerateBrokenStreams(process)
process.exitCode = await run(process.argv.slice(2), {
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
  env: process.env,
  process,
})
// A launcher's channel would keep the process alive, and so would connections that a second signal left open.
if (process.connected) process.disconnect()
if (process.exitCode !== 0) process.exit()
