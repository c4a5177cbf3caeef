import type { SubjectKind } from './subject.ts'

/** The node itself, with nothing before it. */
export const straight: SubjectKind = {
  name: 'straight',
  missing: () => undefined,
  start: async ({ upstreamPort: port }) => ({
    name: 'straight',
    pid: undefined,
    target: { port, path: '/', webSocketPath: '/' },
    async [Symbol.asyncDispose]() {},
  }),
}
