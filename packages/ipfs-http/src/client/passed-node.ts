import { createBufferRelief } from '../server/buffer-relief.ts'
import { collectYoung } from '../server/defaults.ts'

/** Hears how many bytes of content have passed, of all clients of the process, and has their buffers freed now and then. */
export const passed: (bytes: number) => void = createBufferRelief(collectYoung)
