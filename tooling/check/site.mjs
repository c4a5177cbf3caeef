import { existsSync, rmSync } from 'node:fs'
import { execute, runTool } from './run-tool.mjs'

const folder = 'docs/site'

/** Tells whether VitePress is there, which nothing but the site needs. */
export const hasVitePress = () => existsSync(`${folder}/node_modules/vitepress`)

/**
 * Builds the documentation site and checks every link of it. Where VitePress is not installed and npm cannot fetch it within a minute, it
 * skips and says so.
 */
export async function site() {
  if (!hasVitePress()) {
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=0', '--loglevel=error']
    const { code, output } = await execute('timeout', ['60', 'npm', 'ci', '--prefix', folder, ...flags])
    if (code !== 0) {
      rmSync(`${folder}/node_modules`, { recursive: true, force: true })
      console.log(
        `skip site: npm could not fetch VitePress: ${output.trim().split('\n')[0] || `it ended with ${code}`}`,
      )
      return []
    }
  }
  return runTool('node', ['--conditions=@wayleave/source', 'tooling/site/src/main.ts', 'build'])
}
