import { createContext, createHttpTransport, rawJsonFromText } from '@wayleave/jsonrpc-core'
import { expect, it } from 'vitest'

it('a port that throws at once rejects the call with an RpcError that holds none of its words', async () => {
  const handler = createHttpTransport({
    url: 'http://node',
    http() {
      throw new Error('cannot reach http://user:secret@node')
    },
  })
  const context = createContext()
  const failed = await handler({ method: 'm', params: rawJsonFromText('[]'), notification: false }, context).catch(
    (why: unknown) => why,
  )
  context.release()
  expect(failed).toMatchObject({ name: 'RpcError' })
  expect(String((failed as Error).message)).not.toContain('secret')
})
