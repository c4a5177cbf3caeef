import { createBufferRelief } from '../server/buffer-relief.ts'
import { collectYoung } from '../server/defaults.ts'

/** Counts the bytes of content that have passed, for all clients of the process, and has their buffers freed now and then. */
export const countBytes: (bytes: number) => void = createBufferRelief(collectYoung)
