import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'

/** The arguments of a command, as `parseArgs` reads them. */
export type Parsed<F extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: F; allowPositionals: true; args: string[] }>
>

/** The values of flags; undefined where none was given. */
export type ValuesOf<F extends ParseArgsOptionsConfig, V = Parsed<F>['values']> = {
  readonly [N in keyof V]: object extends Pick<V, N> ? V[N] | undefined : V[N]
}

/** Reads flags, and the arguments beside them. @throws TypeError as `parseArgs` does */
export function readArgs<const F extends ParseArgsOptionsConfig>(args: readonly string[], options: F): Parsed<F> {
  return parseArgs({ args: [...args], options, allowPositionals: true })
}

/** Reads flags. @throws TypeError as `parseArgs` does, also for an argument beside them */
export function readFlags<const F extends ParseArgsOptionsConfig>(args: readonly string[], options: F): ValuesOf<F> {
  return parseArgs({ args: [...args], options }).values as ValuesOf<F>
}

/** Declares flags that take a text. */
export function textFlags<Name extends string>(
  ...names: readonly Name[]
): { readonly [N in Name]: { readonly type: 'string' } } {
  return declared(names, { type: 'string' })
}

/** Declares flags that take a text and may be repeated. */
export function listFlags<Name extends string>(
  ...names: readonly Name[]
): { readonly [N in Name]: { readonly type: 'string'; readonly multiple: true } } {
  return declared(names, { type: 'string', multiple: true })
}

/** Declares flags that are off unless they are given. */
export function switchFlags<Name extends string>(
  ...names: readonly Name[]
): { readonly [N in Name]: { readonly type: 'boolean'; readonly default: false } } {
  return declared(names, { type: 'boolean', default: false })
}

function declared<Name extends string, Form>(names: readonly Name[], form: Form): { readonly [N in Name]: Form } {
  return Object.fromEntries(names.map((name) => [name, form])) as { readonly [N in Name]: Form }
}
