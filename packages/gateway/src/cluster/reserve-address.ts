import { once } from 'node:events'
import { createServer } from 'node:http'
import { listen } from '../http/server.ts'

/**
 * Finds the address at which all workers listen, with a port that is not 0. A process that listens there is found here, since one that
 * shares its port would be joined without a word. @throws ListenError
 */
export async function reserveAddress(address: string): Promise<string> {
  const server = createServer()
  const bound = await listen(server, address, 'JSON-RPC', () => {})
  server.close()
  await once(server, 'close')
  return bound
}
