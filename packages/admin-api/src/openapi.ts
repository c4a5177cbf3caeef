import { type AnySchema, is, openRpcDocument, type Schema } from '@wayleave/jsonrpc-core/schema'
import { adminScopes } from './admin-token.ts'
import { adminPrefix, maxAdminBody } from './message.ts'
import { problem } from './model/problem.ts'
import { auditEntry, auditPage } from './model/audit.ts'
import { gasHistory, gasList } from './model/gas.ts'
import { cordon, networks } from './model/network.ts'
import {
  createdKey,
  createdSecret,
  key,
  keyPage,
  keyPatch,
  keyRotation,
  newKey,
  newSecret,
  rotatedKey,
} from './model/key.ts'
import { liveCalls } from './model/live-call.ts'
import { limits } from './model/limits.ts'
import { openRpc } from './model/methods.ts'
import { pinPage, pinVerification } from './model/pin.ts'
import { plan, planFields, planPage } from './model/plan.ts'
import { jwtKey, newJwtKey, newProject, project, projectPage, projectPatch } from './model/project.ts'
import { processes } from './model/process.ts'
import { rules } from './model/rules.ts'
import { appliedState, desiredState, importedKeys, importResult } from './model/state.ts'
import { traffic } from './model/traffic.ts'
import { replay } from './model/replay.ts'
import { streams } from './model/stream.ts'
import { usage } from './model/usage.ts'
import { problems } from './problem.ts'
import type { Route } from './routes/route.ts'

/** A document of OpenAPI 3.1: plain JSON. */
export interface OpenApiDocument {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly security: readonly object[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>
    readonly securitySchemes: Readonly<Record<string, object>>
  }
}

export interface OpenApiOperation {
  readonly summary: string
  readonly operationId: string
  readonly parameters?: readonly object[]
  readonly requestBody?: object
  readonly responses: Readonly<Record<string, object>>
  /** Scopes of which a token needs one; `all` has each. Empty: any token will do. */
  readonly 'x-scopes': readonly string[]
}

/** The schema of the document itself. */
export const openApi: Schema<object> = is<object>(
  'an OpenAPI document',
  (value) => typeof value === 'object' && value !== null,
  () => ({ type: 'object' }),
)

/** Schemas that stand once in the document. */
const named: Readonly<Record<string, AnySchema>> = {
  Project: project,
  ProjectPage: projectPage,
  NewProject: newProject,
  ProjectPatch: projectPatch,
  Rules: rules,
  Limits: limits,
  JwtKey: jwtKey,
  NewJwtKey: newJwtKey,
  Key: key,
  KeyPage: keyPage,
  NewKey: newKey,
  CreatedKey: createdKey,
  KeyPatch: keyPatch,
  KeyRotation: keyRotation,
  RotatedKey: rotatedKey,
  NewSecret: newSecret,
  CreatedSecret: createdSecret,
  Plan: plan,
  PlanPage: planPage,
  PlanFields: planFields,
  Usage: usage,
  Networks: networks,
  Traffic: traffic,
  LiveCalls: liveCalls,
  Processes: processes,
  Cordon: cordon,
  GasList: gasList,
  GasHistory: gasHistory,
  Streams: streams,
  PinVerification: pinVerification,
  Replay: replay,
  PinPage: pinPage,
  OpenRpc: openRpc,
  AuditEntry: auditEntry,
  AuditPage: auditPage,
  ImportedKeys: importedKeys,
  ImportResult: importResult,
  DesiredState: desiredState,
  AppliedState: appliedState,
  OpenApi: openApi,
  Problem: problem,
}

const description = `All bodies are JSON in UTF-8 of at most ${maxAdminBody} bytes, all times Unix times in ms. A token needs one of the scopes in \`x-scopes\`, or \`all\`: ${Object.entries(
  adminScopes,
)
  .map(([scope, words]) => `\`${scope}\` may ${words}`)
  .join('; ')}.`

/** Makes the document of a table of routes from the schemas that check their requests. */
export function openApiDocument(routes: readonly Route[]): OpenApiDocument {
  const queries = new Map<string, AnySchema>()
  for (const { query } of routes) {
    if (query?.parts?.kind !== 'object') continue
    for (const [name, member] of query.parts.members) {
      // A copy, so that bodies that have the same schema do not refer to it.
      queries.set(parameterKey(query, name), { ...('optional' in member ? member.optional : member) })
    }
  }
  // Parameters borrow the writer of schemas: they are named for it, and taken out again.
  const borrowed = Object.fromEntries(queries)
  const title = 'Wayleave admin API'
  const { schemas: written } = openRpcDocument({}, { title, version: '1', named: { ...borrowed, ...named } }).components
  const schemas = Object.fromEntries(Object.entries(written).filter(([name]) => Object.hasOwn(named, name)))
  const parameterSchema = (query: AnySchema, name: string): object => written[parameterKey(query, name)]!

  const ids = new Map<AnySchema, string>(Object.entries(named).map(([name, schema]) => [schema, name]))
  const reference = (schema: AnySchema): object => ({ $ref: `#/components/schemas/${ids.get(schema)!}` })
  const paths: Record<string, Record<string, OpenApiOperation>> = {}
  for (const route of routes) {
    const path = (paths[route.path] ??= {})
    path[route.method.toLowerCase()] = operation(route, reference, parameterSchema)
  }
  return {
    openapi: '3.1.0',
    info: { title, version: '1', description },
    servers: [{ url: adminPrefix }],
    security: [{ bearer: [] }],
    paths,
    components: { schemas, securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  }

  function parameterKey(query: AnySchema, name: string): string {
    return `query ${routes.findIndex((route) => route.query === query)} ${name}`
  }
}

function operation(
  { method, path, summary, scopes, body, query, result, events, status = 200 }: Route,
  reference: (schema: AnySchema) => object,
  parameterSchema: (query: AnySchema, name: string) => object,
): OpenApiOperation {
  const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => ({
    name: name!,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const inQuery = (query?.parts?.kind === 'object' ? query.parts.members : []).map(([name, member]) => ({
    name,
    in: 'query',
    required: !('optional' in member),
    schema: parameterSchema(query!, name),
    style: 'form',
    explode: false,
  }))
  const parameters = [...inPath, ...inQuery]
  const content = (schema: AnySchema, type = 'application/json'): object => ({ [type]: { schema: reference(schema) } })
  const answered = result ?? events
  const type = events === undefined ? 'application/json' : 'text/event-stream'
  const answer =
    answered === undefined
      ? { 204: { description: 'done' } }
      : { [status]: { description: answered.expected, content: content(answered, type) } }
  const refusals = Object.values(problems)
    .filter(([code]) => body !== undefined || ![400, 413, 415].includes(code))
    .map(([code, title]) => [code, { description: title, content: content(problem, 'application/problem+json') }])
  return {
    summary,
    operationId: operationId(method, path),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: { required: false, content: content(body) } }),
    responses: { ...answer, ...Object.fromEntries(refusals) },
    'x-scopes': scopes,
  }
}

/** `GET /projects/{project}/keys` becomes `getProjectsProjectKeys`. */
function operationId(method: string, path: string): string {
  const words = path.match(/\w+/g)!.map((word) => word[0]!.toUpperCase() + word.slice(1))
  return method.toLowerCase() + words.join('')
}
