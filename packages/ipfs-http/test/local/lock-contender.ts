// Locks each folder that it is told, and says how that went.
import { lockFolder } from '../../src/local/disk-lock.ts'

process.on('message', (folder: string) => {
  lockFolder(folder).then(
    () => process.send!('got it'),
    (thrown: { readonly code?: string }) => process.send!(thrown.code ?? String(thrown)),
  )
})
process.send!('ready')
