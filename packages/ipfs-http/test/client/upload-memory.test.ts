import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const script = fileURLToPath(new URL('upload-memory.ts', import.meta.url))

// The long form is a run of the script against any host: 1,024 MiB grow it as little.
it('holds a few pieces of a large upload', async () => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.end('{"Name":"big","Hash":"QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH","Size":"1"}\n')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const args = ['--conditions=@wayleave/source', script, url, '256', 'off']
  const { stdout } = await promisify(execFile)(process.execPath, args)
  server.closeAllConnections()
  server.close()
  expect(Number(stdout)).toBeLessThan(128)
})
