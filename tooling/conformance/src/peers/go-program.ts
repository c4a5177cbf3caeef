import { cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from './peer.ts'

/** Builds a Go program into `${folder}/bin`. Some module proxies list no versions, so the source of one version is fetched and built. */
export async function buildGoProgram(folder: string, module: string, command: string): Promise<void> {
  await mkdir(join(folder, 'bin'), { recursive: true })
  const fetched = await run('go', ['mod', 'download', '-json', module], { cwd: folder })
  const source = join(folder, 'source')
  await rm(source, { recursive: true, force: true })
  await cp((JSON.parse(fetched) as { readonly Dir: string }).Dir, source, { recursive: true })
  await run('chmod', ['-R', 'u+w', source])
  await run('go', ['build', '-trimpath', '-buildvcs=false', '-o', `${join(folder, 'bin')}/`, command], { cwd: source })
  await rm(source, { recursive: true, force: true })
}
