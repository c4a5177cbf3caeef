type Graph = ReadonlyMap<string, readonly string[]>
export function readImports(files: readonly string[], readText?: (file: string) => string): Graph
export function circlesOf(graph: Graph): string[]
export function judgeRooms(source: string, graph: Graph, order: readonly string[]): string[]
export function rooms(): Promise<string[]>
