import type { Clock } from '@wayleave/jsonrpc-core'
import { inTime } from '../waits.ts'
import type { Channel } from './channel.ts'

/** An object whose methods are all asynchronous, with arguments and results that can be cloned. */
type Asynchronous = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>

interface MethodCall {
  readonly method: string
  readonly args: readonly unknown[]
}

type MethodResult = { readonly value: unknown } | { readonly thrown: ThrownError }

/** An error as it passes between processes: that of a store keeps its code. */
export interface ThrownError {
  readonly name: string
  readonly message: string
  readonly code?: unknown
  readonly fault?: unknown
}

/** Serves the named methods of an object under a topic. Those that are not named cannot be called. */
export function serveMethods<T extends object>(
  channel: Channel,
  topic: string,
  object: T,
  methods: readonly (keyof T & string)[],
): void {
  channel.serve(topic, async (body): Promise<MethodResult> => {
    const { method, args } = body as MethodCall
    const name = methods.find((each) => each === method)
    try {
      if (name === undefined) throw new TypeError(`${topic} has no method of this name`)
      return { value: await (object as unknown as Asynchronous)[name]!(...(args as never[])) }
    } catch (thrown) {
      return { thrown: errorParts(thrown) }
    }
  })
}

export interface RemoteOptions {
  readonly clock: Clock
  /** Longest wait for a result, in ms. Then a call rejects with an error of code `store_gone`; it may be done later. */
  readonly timeoutMs: number
}

/** Makes an object whose methods are those that {@link serveMethods} serves at the other end. Errors keep name, message, code and fault. */
export function remoteMethods<T extends object>(
  channel: Pick<Channel, 'ask'>,
  topic: string,
  methods: readonly (keyof T & string)[],
  options: RemoteOptions,
): T {
  const call = (method: string) =>
    async function remote(...args: unknown[]): Promise<unknown> {
      const result = (await askInTime(channel, topic, { method, args }, options)) as MethodResult
      if ('thrown' in result) throw errorOf(result.thrown)
      return result.value
    }
  return Object.fromEntries(methods.map((method) => [method, call(method)])) as T
}

/**
 * Asks the other end, for so many ms at most. Rejects with an error of code `store_gone` where it gave no answer, with its words where it could
 * not; what was asked may be done all the same.
 */
export function askInTime(
  channel: Pick<Channel, 'ask'>,
  topic: string,
  body: unknown,
  { clock, timeoutMs }: RemoteOptions,
): Promise<unknown> {
  const gone = (message: string): Error => Object.assign(new Error(message), { code: 'store_gone' })
  const answer = channel.ask(topic, body).catch(({ message }: Error) => Promise.reject(gone(message)))
  return inTime(timeoutMs, answer, clock, () => gone('the primary process gave no answer in time'))
}

/** Takes an error apart, to be sent. Its stack and its cause stay here. */
export function errorParts(thrown: unknown): ThrownError {
  if (!(thrown instanceof Error)) return { name: 'Error', message: 'the primary process failed' }
  const { name, message, code, fault } = thrown as Error & Partial<ThrownError>
  return { name, message, ...(code !== undefined && { code }), ...(fault !== undefined && { fault }) }
}

/** Makes an error of the parts that were sent. */
export function errorOf({ name, message, code, fault }: ThrownError): Error {
  return Object.assign(new Error(message), { name, code, fault })
}
