import { once } from 'node:events'
import { connect } from 'node:net'

export { missingRedis, type RedisServer, startRedis } from '../shared-limits/servers.ts'

/** Sends commands over a connection of their own, and waits for as many answers that are no bulk. */
export async function sendTo(url: string, commands: readonly (readonly string[])[]): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  try {
    await once(socket, 'connect')
    for (const args of commands) {
      const frame = args.map((arg) => `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`).join('')
      socket.write(`*${args.length}\r\n${frame}`)
      const [answer] = (await once(socket, 'data')) as [string]
      if (answer.startsWith('-')) throw new Error(`${args[0]}: ${answer.trim()}`)
    }
  } finally {
    socket.destroy()
  }
}
