import { createHash } from 'node:crypto'
import type { Answer } from '../callers.ts'
import { adminToken } from '../config.ts'
import { eventually, frame, type Place, places, type Scene } from './scene.ts'

const prefix = '/admin/v1'
const project = `${prefix}/projects/stored`
const key = `${project}/keys/first`

/** A project, its key and a plan are made, changed and ended, each step at another place than the one before, and read at both. */
export async function changeAccounts(scene: Scene): Promise<void> {
  const { transcript, admin, http } = scene
  const text = 'a-key-of-the-store-of-the-law'
  async function step(name: string, place: Place, method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await admin(place, method, path, body)
    transcript.answer(`admin: ${name}`, answer)
    return answer
  }
  const readAll = async (when: string, path: string): Promise<void> => {
    for (const place of places) await step(`${when}, read at place ${place}`, place, 'GET', path)
  }
  /** Calls with the key until it is served, or no longer. */
  const untilStatus = async (status: number, when: string): Promise<void> => {
    for (const place of places) {
      const ask = (): Promise<Answer> => http[place].ask(`/v3/${text}`, { body: frame('eth_chainId') })
      await eventually(async () => (await ask()).status === status)
      transcript.answer(`admin: a call at place ${place} ${when}`, await ask())
    }
  }

  await step('a plan is put', 0, 'PUT', `${prefix}/plans/small`, { limits: { perDay: { credits: 1_000 } } })
  await readAll('a plan was put', `${prefix}/plans`)
  await step('a project is made', 1, 'POST', `${prefix}/projects`, { id: 'stored', name: 'Stored', plan: 'small' })
  await step('a project is made twice', 0, 'POST', `${prefix}/projects`, { id: 'stored', name: 'Stored' })
  await step('a project of no shape is made', 1, 'POST', `${prefix}/projects`, { names: 7 })
  await readAll('a project was made', project)
  await step('a project is changed', 0, 'PATCH', project, { name: 'Renamed', networks: ['main'] })
  await readAll('a project was changed', project)
  await step('a project of the configuration is changed', 1, 'PATCH', `${prefix}/projects/open`, { name: 'Other' })
  await step('a key is made', 1, 'POST', `${project}/keys`, { id: 'first', label: 'One', key: text })
  await readAll('a key was made', key)
  await untilStatus(200, 'with the new key')
  await step('a key is disabled', 0, 'PATCH', key, { disabled: true })
  await untilStatus(401, 'with the disabled key')
  await step('a key is enabled', 1, 'PATCH', key, { disabled: false, label: 'Two' })
  await untilStatus(200, 'with the enabled key')
  await askEveryRoute(scene)
  await step('a key is ended', 0, 'DELETE', key)
  await untilStatus(401, 'with the ended key')
  await step('a project is ended', 1, 'DELETE', project)
  await readAll('a project was ended', project)
  await step('a plan is ended', 0, 'DELETE', `${prefix}/plans/small`)
  await readAll('all was done, the audit log', `${prefix}/audit?project=stored`)
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** Values of the names in the paths of the admin API; a route with a further name needs one here. */
const named: Readonly<Record<string, string>> = { project: 'stored', key: 'first', network: 'main', kind: 'evm' }
/** The query of routes whose whole answer no two runs have in common. */
const queries: Readonly<Record<string, string>> = { '/usage': '?project=quota&period=day&by=method,status' }

/** Asks every route of the document of the admin API, those that change something for names that do not exist and with a body of no shape, and those beside it. */
async function askEveryRoute({ transcript, admin, rpc, deployment }: Scene): Promise<void> {
  const { paths } = JSON.parse((await admin(0, 'GET', `${prefix}/openapi.json`)).text) as Document
  // Usage is written within some seconds: seven calls, some of which were refused.
  async function counted(place: Place): Promise<number> {
    const { text } = await admin(place, 'GET', `${prefix}/usage${queries['/usage']!}`)
    return [...text.matchAll(/"calls":(\d+)/g)].reduce((sum, [, calls]) => sum + Number(calls), 0)
  }
  for (const place of places) await eventually(async () => (await counted(place)) === 7)
  for (const [route, operations] of Object.entries(paths)) {
    const nowhere = route.replaceAll(/\{\w+\}/g, 'nobody')
    // A replay tells how long calls took.
    const changing = route === '/replay' ? [] : ['post', 'put', 'patch', 'delete']
    for (const method of changing.filter((each) => operations[each] !== undefined)) {
      for (const place of places) {
        const answer = await admin(place, method.toUpperCase(), `${prefix}${nowhere}`, { nonsense: 7 })
        transcript.answer(`admin, place ${place}: ${method.toUpperCase()} ${route} of no shape`, answer)
      }
    }
    if (operations['get'] === undefined || route === '/calls/live') continue
    const path = route.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      if (named[name] === undefined) throw new Error(`no value is known of {${name}} in ${route}`)
      return named[name]
    })
    for (const place of places) {
      const answer = await admin(place, 'GET', `${prefix}${path}${queries[route] ?? ''}`)
      transcript.answer(`admin, place ${place}: GET ${route}`, { ...answer, text: printed(route, answer.text) })
    }
  }
  const others: readonly (readonly [string, string])[] = [
    ['GET', '/healthz'],
    ['GET', '/readyz'],
    ['GET', '/status?network=main'],
    ['GET', '/nothing'],
    ['GET', `${prefix}/nothing`],
    ['PUT', `${prefix}/projects`],
    ['GET', '/explain/00000000000000000000000000000000'],
    ['POST', '/upstreams/cordon?network=main&upstream=nobody'],
  ]
  for (const place of places) {
    for (const [method, path] of others) {
      const answer = await admin(place, method, path)
      transcript.answer(`admin, place ${place}: ${method} ${path}`, answer)
    }
    const refused = await fetch(`${deployment.doors[place].admin}${prefix}/projects`)
    transcript.add(`admin, place ${place}: without a token`, [String(refused.status), await refused.text()])
    const live = await firstLiveCall(deployment.doors[place].admin, () => rpc(place, 'open', 'law_live'))
    transcript.add(`admin, place ${place}: a call as it ends`, [live])
  }
}

/** Long documents by their digest, and counts of the whole process by their shape. */
function printed(route: string, text: string): string {
  if (route.startsWith('/open')) return `sha256 ${createHash('sha256').update(text).digest('hex')}`
  // Times of ten seconds, of which there may be none yet.
  if (route === '/traffic') return JSON.stringify(shapeOf({ ...(JSON.parse(text) as object), items: [] }))
  if (route === '/processes') return JSON.stringify(shapeOf(JSON.parse(text)))
  // Filters that the script has opened end whenever they do.
  return text.replaceAll(/"(sockets|relays)":\d+/g, '"$1":"<count>"')
}

/** The names of all members of a value, and the types of what is not an object; lists by those of their items. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value))
    return [...new Set(value.map((one) => JSON.stringify(shapeOf(one))))].map((one) => JSON.parse(one) as unknown)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shapeOf(one)]))
}

/** The members of live calls, without those that calls have where something went another way than usual. */
const liveMembers = (events: string): string =>
  [...new Set((JSON.parse(events) as object[]).flatMap((one) => Object.keys(one)))]
    .filter((name) => name !== 'attempts' && name !== 'cause')
    .join(' ')

/** Listens to the calls that end, calls until one was heard of, and reads the names of what is told of each. */
async function firstLiveCall(admin: string, call: () => Promise<unknown>): Promise<string> {
  const stopping = new AbortController()
  const response = await fetch(`${admin}${prefix}/calls/live?project=open&method=law_live&outcome=answered`, {
    headers: { authorization: `Bearer ${adminToken}` },
    signal: stopping.signal,
  })
  const timer = setInterval(() => void call(), 200)
  let text = ''
  try {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      const events = /^data: (\[.+\])$/m.exec(text)?.[1]
      if (events !== undefined) return liveMembers(events)
    }
    return 'it ended without a call'
  } finally {
    clearInterval(timer)
    stopping.abort()
  }
}
