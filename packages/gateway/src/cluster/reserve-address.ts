import { once } from 'node:events'
import { createServer } from 'node:http'
import { listen, ListenError } from '@wayleave/http-server'

const forOneProcess =
  'JSON-RPC cannot listen on the socket that it was given: it is for one process. Serve with --workers 1, or without the socket.'

/**
 * Finds the address at which all workers listen, with a port that is not 0. A process that listens there is found here, since one that
 * shares its port would be joined without a word. A `socket` that listens there already cannot be joined. @throws ListenError
 */
export async function reserveAddress(address: string, socket: number | undefined): Promise<string> {
  if (socket !== undefined) throw new ListenError(forOneProcess, false)
  const server = createServer()
  const bound = await listen(server, address, 'JSON-RPC', () => {})
  server.close()
  await once(server, 'close')
  return bound
}
