/** A library that the page imports, as its package ships it for browsers. */
export interface Library {
  /** The name to import. */
  readonly name: string
  /** The file beside the package's entry. */
  readonly file: string
  /** The path below the prefix of the page. */
  readonly path: string
  /** A text to put behind it, which makes a module of a script. */
  readonly after?: string
}

/** All libraries of the page. */
export const libraries: readonly Library[] = [
  { name: 'preact', file: 'preact.mjs', path: 'lib/preact.js' },
  { name: 'preact/hooks', file: 'hooks.mjs', path: 'lib/preact-hooks.js' },
  { name: 'preact/jsx-runtime', file: 'jsxRuntime.mjs', path: 'lib/preact-jsx-runtime.js' },
  { name: '@preact/signals-core', file: 'signals-core.mjs', path: 'lib/signals-core.js' },
  { name: '@preact/signals', file: 'signals.mjs', path: 'lib/signals.js' },
  // The module of uPlot is shipped with comments and all, at twice the size of the script.
  { name: 'uplot', file: 'uPlot.iife.min.js', path: 'lib/uplot.js', after: '\nexport { uPlot as default }\n' },
]

/** The path below which the page is served. */
export const prefix = '/console/'

/** The only inline script of the page, as text. */
export const importMap: string = JSON.stringify({
  imports: Object.fromEntries(libraries.map(({ name, path }) => [name, prefix + path])),
})
