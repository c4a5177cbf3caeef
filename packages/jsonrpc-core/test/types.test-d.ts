import {
  createMethods,
  createRpcClient,
  method,
  type RpcClient,
  type RpcContext,
  type RpcHandler,
  type RpcMiddleware,
  type SchemaOf,
} from '@wayleave/jsonrpc-core'
import {
  array,
  integer,
  type MethodSpec,
  type MethodTable,
  nullable,
  object,
  oneOf,
  optional,
  type Schema,
  text,
  tuple,
  type TypeOf,
} from '@wayleave/jsonrpc-core/schema'

interface Chain {
  readonly eth_chainId: { readonly params: readonly []; readonly result: string }
  readonly eth_getBalance: { readonly params: readonly [address: string, block?: string]; readonly result: bigint }
}
declare const handler: RpcHandler
const client: RpcClient<Chain> = createRpcClient<Chain>(handler)

// Calls by name have their own params and result.
export const balance: Promise<bigint> = client.request('eth_getBalance', ['0x1'])
export const atBlock: Promise<bigint> = client.request('eth_getBalance', ['0x1', 'latest'])
// @ts-expect-error an unknown method
void client.request('eth_getBalanec', ['0x1'])
// @ts-expect-error params of another type
void client.request('eth_getBalance', [1])
// @ts-expect-error a missing param
void client.request('eth_getBalance', [])
// @ts-expect-error a param too many
void client.request('eth_chainId', ['0x1'])
// @ts-expect-error no params at all
void client.request('eth_chainId')
// @ts-expect-error a result of another type
export const number: Promise<number> = client.request('eth_chainId', [])
// The escape takes any method, on the caller's word.
export const unchecked: Promise<number> = client.requestUnchecked<number>('anything', { a: 1 })
// @ts-expect-error a schema whose methods lack params or result
createRpcClient<{ readonly m: { readonly result: string } }>(handler)
// An interface is a schema, too: it needs no index signature.
export const fromInterface: RpcClient<Chain> = createRpcClient(handler)

// A schema checks for its own type, not for a wider or a narrower one.
interface Call {
  readonly to: string
  readonly nonce: number
  readonly gas?: number
}
const callSchema: Schema<Call> = object<Call>('a call', {
  to: text('text'),
  nonce: integer('nonce'),
  gas: optional(integer('gas')),
})
// @ts-expect-error wider
export const wider: Schema<Pick<Call, 'to'>> = callSchema
// @ts-expect-error narrower
export const narrower: Schema<Call & { readonly data: string }> = callSchema
// @ts-expect-error a wider leaf
export const wideTag: Schema<string> = oneOf('latest', 'earliest')
// @ts-expect-error a member that may be absent is optional
object<Call>('a call', { to: text('text'), nonce: integer('nonce'), gas: integer('gas') })
// @ts-expect-error a member that must be there is not
object<Call>('a call', { to: optional(text('text')), nonce: integer('nonce'), gas: optional(integer('gas')) })
// @ts-expect-error a missing member
object<Call>('a call', { to: text('text'), gas: optional(integer('gas')) })
// @ts-expect-error a member too many
object<Call>('a call', { to: text('text'), nonce: integer('nonce'), gas: optional(integer('gas')), data: text('text') })
// @ts-expect-error a member of another type
object<Call>('a call', { to: integer('to'), nonce: integer('nonce'), gas: optional(integer('gas')) })
// @ts-expect-error null was not foreseen
object<{ readonly to: string }>('it', { to: nullable(text('text')) })
// @ts-expect-error an element of another type
tuple<readonly [string, number]>(text('text'), text('text'))
// @ts-expect-error a missing element
tuple<readonly [string, number]>(text('text'))
export const inferred: TypeOf<typeof callSchema> = { to: '0x1', nonce: 0 }
export const list: Schema<readonly Call[]> = array(callSchema)

// A table has one spec for each method of its schema.
declare const chainId: MethodSpec<readonly [], string>
declare const getBalance: MethodSpec<readonly [string, string?], bigint>
export const table: MethodTable<Chain> = { eth_chainId: chainId, eth_getBalance: getBalance }
// @ts-expect-error a method without a spec
export const partial: MethodTable<Chain> = { eth_chainId: chainId }
// @ts-expect-error the spec of another method
export const swapped: MethodTable<Chain> = { eth_chainId: getBalance, eth_getBalance: getBalance }

// A handler that asks less of its context serves where more is known, not the other way round.
interface HostContext extends RpcContext {
  readonly tenant: string
}
declare const hosted: RpcHandler<HostContext>
export const plain: RpcHandler<HostContext> = handler
// @ts-expect-error a handler that needs a tenant
export const needy: RpcHandler = hosted
export const drops: RpcMiddleware<HostContext> = (next) => next
// @ts-expect-error a middleware cannot make up a tenant
export type Invents = RpcMiddleware<RpcContext, HostContext>

// A method's handler is typed by its params, its errors by their names, and a client by the table.
const methods = {
  add: method({ params: tuple<readonly [number, number]>(integer('a'), integer('b')), handler: ([a, b]) => a + b }),
  find: method({
    params: tuple<readonly [string]>(text('id')),
    errors: { missing: { code: 1, message: 'none' } },
    handler: async ([id], { fail }) => (id === '' ? fail('missing') : { id }),
  }),
  forget: method({ params: tuple<readonly []>(), handler: () => undefined }),
}
export const served: RpcHandler = createMethods(methods)
declare const typed: RpcClient<SchemaOf<typeof methods>>
export const sum: Promise<number> = typed.request('add', [1, 2])
export const record: Promise<{ readonly id: string }> = typed.request('find', ['a'])
export const nothing: Promise<null> = typed.request('forget', [])
// @ts-expect-error a param of another type
void typed.request('add', [1, '2'])
// @ts-expect-error a result of another type
export const wrongSum: Promise<string> = typed.request('add', [1, 2])
// @ts-expect-error an error that the method does not name
method({ params: tuple<readonly []>(), errors: { a: { code: 1, message: '' } }, handler: (_, { fail }) => fail('b') })
// @ts-expect-error an error of a method that names none
method({ params: tuple<readonly []>(), handler: (_, { fail }) => fail('a') })
