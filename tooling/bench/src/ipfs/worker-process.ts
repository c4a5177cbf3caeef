// The measured process: `worker-process.ts <role> <folder>`, or `gateway over <URL of a Kubo>` as its role. Loads only what its role needs.
import { systemClock } from '../defaults.ts'
import type { Jobs } from './worker.ts'

type Role = { readonly [K in keyof Jobs]?: (args: Jobs[K]) => Promise<string> } & {
  readonly ready?: string
  close?(): Promise<void>
}

const roles: Readonly<Record<string, (folder: string) => Promise<Role>>> = {
  bare: async (folder) => (await import('./bare.ts')).bareRole(folder, false),
  'bare, durable': async (folder) => (await import('./bare.ts')).bareRole(folder, true),
  backend: async (folder) => (await import('./local-roles.ts')).backendRole(folder),
  server: async (folder) => (await import('./local-roles.ts')).serverRole(folder),
  'server, one process': async (folder) => {
    const { serverRole } = await import('./local-roles.ts')
    const { clientRole } = await import('./http-client.ts')
    return { ...clientRole(), ...(await serverRole(folder)) }
  },
  gateway: async (folder) => (await import('./gateway-role.ts')).gatewayRole(folder, { collectEveryMs: 3_600_000 }),
  'gateway that collects': async (folder) =>
    (await import('./gateway-role.ts')).gatewayRole(folder, { collectEveryMs: 1_000 }),
  'our client, off': async () => (await import('./own-client.ts')).ownClientRole('off'),
  'our client, consistent': async () => (await import('./own-client.ts')).ownClientRole('consistent'),
  'our client, proven': async () => (await import('./own-client.ts')).ownClientRole('proven'),
  client: async () => (await import('./http-client.ts')).clientRole(),
  importer: async (folder) => (await import('./importer.ts')).importerRole(folder, false),
  'importer, durable': async (folder) => (await import('./importer.ts')).importerRole(folder, true),
}

const [name, folder] = process.argv.slice(2) as [string, string]
const kuboUrl = /^gateway over (.+)$/.exec(name)?.[1]
const role: Role = kuboUrl
  ? await (await import('./gateway-role.ts')).gatewayRole(folder, { kuboUrl })
  : await roles[name]!(folder)

async function memory(): Promise<string> {
  // Twice: the second collection frees what the first one finalized.
  await globalThis.gc!({ type: 'major', execution: 'async' })
  await globalThis.gc!({ type: 'major', execution: 'async' })
  return JSON.stringify(process.memoryUsage())
}

process.on('message', ({ job, args }: { readonly job: keyof Jobs; readonly args: Jobs[keyof Jobs] }) => {
  const begin = systemClock.now()
  const run = (job === 'memory' ? memory : role[job]) as (args: Jobs[keyof Jobs]) => Promise<string>
  run(args).then(
    (value) => process.send!({ ms: systemClock.now() - begin, value }),
    (error: unknown) => process.send!({ ms: 0, value: '', error: String(error) }),
  )
})
process.on('disconnect', () => void Promise.resolve(role.close?.()).then(() => process.exit()))
process.send!({ ms: 0, value: role.ready ?? '' })
