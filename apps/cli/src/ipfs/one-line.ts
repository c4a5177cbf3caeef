import { visible } from '../output/visible.ts'

/** Escapes a peer's name for one line of output: it must neither steer a terminal nor look like another line. */
export function oneLine(name: string): string {
  return visible(name).replaceAll('\n', '\\n').replaceAll('\t', '\\t')
}
