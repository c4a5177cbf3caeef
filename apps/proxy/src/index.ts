export { type ProxyOptions, runProxy } from './proxy.ts'
export { readyLine } from './ready.ts'
export { keepMemorySteady, type StartedProcess } from './steady-memory.ts'
export { type ProcessEvents, runUntilStopped, type Stoppable } from './stop.ts'
