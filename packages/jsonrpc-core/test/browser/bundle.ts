import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** The scenario and the package as one script for a browser; `last` is run after it. */
export async function bundleScenario(last: string): Promise<string> {
  const scenario = fileURLToPath(new URL('scenario.ts', import.meta.url))
  const { outputFiles } = await build({
    stdin: {
      contents: `import * as scenario from ${JSON.stringify(scenario)}\n${last}`,
      resolveDir: '.',
      loader: 'ts',
    },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    conditions: ['@wayleave/source'],
    write: false,
  })
  return outputFiles[0]!.text
}
