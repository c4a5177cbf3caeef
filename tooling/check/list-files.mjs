import { execute } from './run-tool.mjs'

/** Lists every file of the repository, tracked or new, that git does not ignore. */
export async function listFiles() {
  const { code, output } = await execute('git', [
    'ls-files',
    '--cached',
    '--others',
    '--exclude-standard',
    '--deduplicate',
  ])
  if (code !== 0) throw new Error(`git ls-files: ${output}`)
  return output.split('\n').filter((file) => file !== '')
}
