import { directiveValues, neverSkips, type Project } from '@wayleave/auth'
import type { RpcErrorObject } from '@wayleave/jsonrpc-core'

type Directive = keyof typeof directiveValues

/** The wishes of a request or a connection about its answers. */
export interface Directives {
  /** Whether all its calls are answered at one block. */
  readonly isPinned: boolean
  /** Whether results carry their marks inside, for callers whom no header reaches. */
  readonly inlineMarks: boolean
  /** Whether its calls want answers of upstreams, and none of the cache. */
  readonly skipsCache: boolean
  /** The error of each call, where a directive has a value without meaning. */
  readonly unknown: RpcErrorObject | undefined
}

const headers: Readonly<Record<Directive, string>> = {
  consistency: 'X-Wayleave-Consistency',
  marks: 'X-Wayleave-Marks',
  skipCache: 'X-Wayleave-Skip-Cache',
}
const inQuery = /[?&]x-wayleave-/i
const noDirectives: Directives = { isPinned: false, inlineMarks: false, skipsCache: false, unknown: undefined }

/**
 * Reads the directives of a request or an upgrade. Each is the header, else the query parameter of that name in any case, since pages
 * can send no header with a WebSocket, else the default of the project.
 */
export function directivesOf(
  head: Readonly<Record<Directive, string | undefined>>,
  url: string,
  { directives: defaults }: Pick<Project, 'directives'>,
): Directives {
  const isAsked = head.consistency !== undefined || head.marks !== undefined || head.skipCache !== undefined
  const hasQuery = inQuery.test(url)
  if (!isAsked && !hasQuery && defaults === undefined) return noDirectives
  const query = hasQuery ? queryOf(url) : undefined
  let unknown: RpcErrorObject | undefined

  function read(name: Directive): string {
    const header = headers[name]
    const asked = head[name] ?? query?.get(header.toLowerCase())
    const given = asked ?? defaults?.[name]
    if (given === undefined) return 'none'
    const value = given.trim().toLowerCase()
    const known: readonly string[] = directiveValues[name]
    if (known.includes(value)) return value === 'true' && defaults?.[name] === neverSkips ? refuse(name) : value
    if (name === 'skipCache' && asked === undefined && value === neverSkips) return 'none'
    const where = asked === undefined ? ', the default of the project' : ''
    const message = `${header}: expected ${known.map((each) => `"${each}"`).join(' or ')}, got ${JSON.stringify(value.slice(0, 64))}${where}`
    unknown ??= { code: -32600, message }
    return 'none'
  }

  function refuse(name: Directive): string {
    unknown ??= { code: -32600, message: `${headers[name]}: the project does not allow it` }
    return 'none'
  }

  const isPinned = read('consistency') === 'pinned'
  const inlineMarks = read('marks') === 'inline'
  const skipsCache = read('skipCache') === 'true'
  return { isPinned, inlineMarks, skipsCache, unknown }
}

/** Reads the query by names in lower case; of several of one name the first counts. */
function queryOf(url: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(url.slice(url.indexOf('?')))) {
    const lowerCase = name.toLowerCase()
    if (!parameters.has(lowerCase)) parameters.set(lowerCase, value)
  }
  return parameters
}
