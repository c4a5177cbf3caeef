type Graph = ReadonlyMap<string, readonly string[]>
export function readImports(files: readonly string[], readText?: (file: string) => string): Graph
export function circlesOf(graph: Graph): string[]
export function judgeRooms(
  source: string,
  graph: Graph,
  listed: { readonly rooms: readonly string[]; readonly up: Readonly<Record<string, number>> },
): string[]
export function rooms(): Promise<string[]>
