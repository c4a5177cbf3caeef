import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { checkListeners } from '../../src/doctor/check-listeners.ts'
import { folder } from '../helpers.ts'

const program = `
import { createServer } from 'node:net'
const server = createServer(() => {}).listen(0, '127.0.0.1', () => console.log(server.address().port))
`

it.skipIf(process.platform !== 'linux')('tells a gateway that holds its port and answers nothing', async () => {
  const file = join(await folder(), 'wayleave.mjs')
  await writeFile(file, program)
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [printed] = (await once(child.stdout, 'data')) as [Buffer]
  const rpc = `127.0.0.1:${String(printed).trim()}`
  const check = checkListeners({ rpc, ipfs: undefined, admin: '127.0.0.1:0', tls: false })
  expect(await check.run(new AbortController().signal)).toContainEqual({
    level: 'fail',
    code: 'gateway_silent',
    subject: `listen.rpc (${rpc})`,
    text: `the gateway there (node wayleave.mjs, process ${child.pid}) gives no answer within 2 s`,
    remedy: expect.stringContaining('restart it') as string,
  })
})
