import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

let collect: ((options: { readonly type: 'minor' }) => void) | undefined

/** Collects garbage of short life, at once. Node offers that only behind a flag, which may be set while it runs. */
export function collectYoung(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as NonNullable<typeof collect>
  }
  collect({ type: 'minor' })
}
