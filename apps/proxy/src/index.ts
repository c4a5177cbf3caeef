export { countWorkers, mostWorkers, readWorkers } from './count-workers.ts'
export { type ProxyOptions, runProxy } from './proxy.ts'
export { readyLine } from './ready.ts'
export { type ProcessEvents, runUntilStopped, type Stoppable } from './stop.ts'
