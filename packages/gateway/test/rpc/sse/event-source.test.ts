import { spawn } from 'node:child_process'
import { RpcError } from '@wayleave/jsonrpc-core'
import { expect, it, onTestFinished } from 'vitest'
import { sleep, until } from '../../support.ts'
import { createChain, mine, myLogs, startServer, type ReportedLog } from './support.ts'

const program = `
// The wait before it connects again keeps no process alive.
setInterval(() => {}, 60_000)
const source = new EventSource(process.argv[1])
for (const type of ['open', 'logs', 'end', 'error']) {
  source.addEventListener(type, ({ data }) => console.log(JSON.stringify({ type, data, state: source.readyState })))
}`

/** Runs Node's EventSource, which follows the standard as those of browsers do, in a process of its own. */
function startEventSource(url: string) {
  const child = spawn(process.execPath, ['--no-warnings', '--experimental-eventsource', '-e', program, url])
  const lines: { readonly type: string; readonly data?: string; readonly state: number }[] = []
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    const whole = text.split('\n')
    text = whole.pop()!
    for (const line of whole) lines.push(JSON.parse(line) as (typeof lines)[number])
  })
  onTestFinished(() => void child.kill())
  return {
    count: (type: string) => lines.filter((line) => line.type === type).length,
    logs: () => lines.flatMap(({ type, data }) => (type === 'logs' ? [JSON.parse(data!) as ReportedLog] : [])),
    lines,
  }
}

it('an EventSource that is cut goes on by itself, and misses nothing', async () => {
  const chain = createChain()
  const { url, server, state, fanOut, asked } = await startServer(chain)
  const source = startEventSource(`${url}?type=logs&address=${mine}`)
  await until(() => fanOut.size === 1)
  // It asked for the logs after a block, whose hash is its first id.
  await until(() => asked.length === 1)
  await sleep(200)
  server.closeAllConnections()
  await until(() => source.count('error') === 1)
  chain.grow(2)
  // It was told where it began, though no event had come.
  await until(() => source.logs().length === 2)
  server.closeAllConnections()
  await until(() => fanOut.size === 0)
  chain.grow(1)
  await until(() => source.logs().length === 3)
  for (const end of state.ends) end(new RpcError('unavailable', 'no node is there'))
  await until(() => source.count('end') === 1)
  chain.grow(3)
  await until(() => source.logs().length === 6)
  expect(source.logs()).toEqual(myLogs(chain))
})

it('an EventSource gives up where no later attempt could succeed', async () => {
  const { url } = await startServer(createChain())
  const source = startEventSource(`${url}?type=nothing`)
  await until(() => source.count('error') === 1)
  expect(source.lines.at(-1)!.state).toBe(2)
})
