import { startNode } from './child.ts'
import type { SubjectKind } from './subject.ts'

/** A proxy of node:http and undici's dispatch with nothing in between: the cost of any proxy on Node. */
export const bareProxy: SubjectKind = {
  name: 'bare-proxy',
  suites: ['small', 'cached', 'batch', 'large', 'mix'],
  onlyThere: 'it has no WebSockets',
  missing: () => undefined,
  async start({ upstreamPort, clock }) {
    const file = new URL('../bare-proxy-process.ts', import.meta.url)
    const { child, port } = await startNode(clock, file, [`http://127.0.0.1:${upstreamPort}`])
    return {
      name: 'bare-proxy',
      pid: child.pid,
      target: { port, path: '/', webSocketPath: '' },
      [Symbol.asyncDispose]: child.close,
    }
  },
}
